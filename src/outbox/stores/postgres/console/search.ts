import type { GroupTally, RowPage, RowSearch, Wrong, WrongCount } from '../../../console-store.js';
import type { Row } from '../../../state-machine.js';
import { isStorable } from '../../storable.js';
import type { Columns, PostgresValue, Run } from '../database.js';
import { isOpenBefore, readRow, rowOf, selectBodiless } from '../row-columns.js';

/** The tolerance of a search by time. A clock or a long transaction may put rows out of the order of their times. */
const SLACK_MS = 600_000;
const OF_GROUP = `q.state = 'quarantined' AND q.account = $1::text AND q.environment = $2::text AND coalesce(q.wrong_code, 'unknown') = $3::text
  AND coalesce(q.wrong_words, '') = $4::text AND q.changed_at <= $5::text::bigint`;
const groupOf = ({ account, environment, code, words }: Wrong, asOf: number): string[] => [account, environment, code, words, String(Math.trunc(asOf))];
const isGroup = ({ account, environment, code, words }: Wrong): boolean => [account, environment, code, words].every(isStorable);

/** The columns of a quarantined row. A decision reads thousands, and a JSON object for each would cost twice as much. */
const QUARANTINED = `r.sequence::text AS sequence, r.id, r.account, r.environment, r.operation, r.reference, r.waits_for, r.fingerprint, r.enqueued_at::text AS enqueued_at,
  q.fence::text AS fence, q.attempts::text AS attempts, q.in_doubt::text AS in_doubt, q.doubt_before::text AS doubt_before, q.due_at::text AS due_at,
  q.changed_at::text AS changed_at, q.problem::text AS problem, q.decisions::text AS decisions`;

const readQuarantined = (found: Columns): Row =>
  rowOf({
    sequence: Number(found.sequence),
    id: found.id,
    account: found.account,
    environment: found.environment,
    operation: found.operation,
    reference: found.reference,
    waitsFor: found.waits_for,
    state: 'quarantined',
    blocked: false,
    fence: Number(found.fence),
    attempts: Number(found.attempts),
    inDoubt: found.in_doubt === 'true',
    doubtBefore: found.doubt_before === 'true',
    enqueuedAt: Number(found.enqueued_at),
    dueAt: Number(found.due_at),
    changedAt: Number(found.changed_at),
    outcome: null,
    message: null,
    requestId: null,
    problem: JSON.parse(found.problem ?? 'null') as unknown,
    decisions: JSON.parse(found.decisions ?? 'null') as unknown,
    fingerprint: found.fingerprint,
    body: null,
  });

/** The queries of the console about rows. */
export function createSearch(run: Run, schema: string) {
  /** The time of the first row with this `sequence` or a higher one. */
  const timeAt = async (sequence: number): Promise<number> => {
    const [found] = await run(`SELECT r.enqueued_at::text AS at FROM ${schema}.reports AS r WHERE r.sequence >= $1::text::bigint ORDER BY r.sequence LIMIT 1`, [
      String(sequence),
    ]);
    return found ? Number(found.at) : Number.POSITIVE_INFINITY;
  };

  /** The approximate lowest `sequence` of the rows that were enqueued at this time or later. It rises with time. */
  async function sequenceAt(time: number): Promise<number> {
    const [found] = await run(`SELECT max(sequence)::text AS last FROM ${schema}.reports`);
    let [low, high] = [1, Number(found?.last ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await timeAt(middle)) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async function search({ accounts, account, environment, operation, state, blocked, from, to, before, limit, look }: RowSearch): Promise<RowPage> {
    if (![account, environment, operation, ...(accounts ?? [])].every((text) => text === undefined || isStorable(text)))
      return { rows: [], reached: undefined };
    const values: PostgresValue[] = [];
    const bind = (value: string): string => `$${values.push(value)}::text`;
    const isOpen = state !== undefined && state !== 'recorded' && state !== 'dismissed';
    const last = to === undefined ? before : Math.min(before, await sequenceAt(to + SLACK_MS));
    const lowest = from === undefined ? 0 : await sequenceAt(from - SLACK_MS);
    const range = (high: number) => `t.sequence < ${bind(String(high))}::bigint AND t.sequence >= ${bind(String(lowest))}::bigint`;
    // For an open state, the smaller queue is searched.
    const source = isOpen ? `${schema}.queue` : `${schema}.reports`;
    // Rows in flight are few and have no index. Reading the table once costs less than following an index through all of it.
    const ofState = state === 'quarantined' ? " AND t.state = 'quarantined'" : '';
    const table = state === 'in-flight' ? `(SELECT f.sequence, f.account, f.environment FROM ${source} AS f WHERE f.state = 'in-flight' OFFSET 0)` : source;
    const looked = (columns: string, high: number, rest: string) =>
      `SELECT ${columns} FROM ${table} AS t WHERE ${range(high)}${ofState} ORDER BY t.sequence DESC ${rest}`;
    const parts = `t.sequence, t.account, t.environment, ${table === source ? 't.state' : "'in-flight' AS state"}${isOpen ? '' : ', t.operation, t.enqueued_at'}`;
    const inner = looked(parts, last, `LIMIT ${Math.trunc(look)}`);
    // These conditions come before the join, so that few rows are joined.
    const seen: string[] = [];
    const conditions: string[] = [];
    const here = isOpen ? conditions : seen;
    const name = isOpen ? 'r' : 'l';
    if (account !== undefined) seen.push(`l.account = ${bind(account)}`);
    if (environment !== undefined) seen.push(`l.environment = ${bind(environment)}`);
    if (accounts) seen.push(`l.account IN (SELECT json_array_elements_text(${bind(JSON.stringify(accounts))}::json))`);
    if (state !== undefined) seen.push(`l.state = ${bind(state)}`);
    if (operation !== undefined) here.push(`${name}.operation = ${bind(operation)}`);
    if (from !== undefined) here.push(`${name}.enqueued_at >= ${bind(String(Math.trunc(from)))}::bigint`);
    if (to !== undefined) here.push(`${name}.enqueued_at < ${bind(String(Math.trunc(to)))}::bigint`);
    const isBlocked = `(q.state = 'waiting' AND q.waits_for IS NOT NULL AND ${isOpenBefore(schema, 'q.waits_for')})`;
    if (blocked !== undefined) conditions.push(blocked ? isBlocked : `NOT coalesce(${isBlocked}, false)`);
    const all = (list: readonly string[]) => (list.length > 0 ? `WHERE ${list.join(' AND ')}` : '');
    const limited = `LIMIT ${bind(String(limit))}::bigint`;
    const kept = `(SELECT l.sequence FROM (${inner}) AS l ${all(seen)} ORDER BY l.sequence DESC ${conditions.length > 0 ? '' : limited}) AS looked JOIN`;
    const found = await run(
      selectBodiless(schema, `${all(conditions)} ORDER BY looked.sequence DESC ${limited}`, kept, 'ON r.sequence = looked.sequence'),
      values,
    );
    const rows = found.map(readRow);
    const end = rows.length === limit ? rows.at(-1) : state === 'in-flight' ? undefined : await endOf();
    return { rows, reached: end && (await isMore(end.sequence)) ? { sequence: end.sequence, enqueuedAt: end.enqueuedAt } : undefined };

    async function endOf() {
      values.length = 0;
      const [one] = await run(
        `SELECT r.sequence::text AS sequence, r.enqueued_at::text AS at FROM (${looked('t.sequence', last, `OFFSET ${Math.trunc(look) - 1} LIMIT 1`)}) AS l
          JOIN ${schema}.reports AS r ON r.sequence = l.sequence`,
        values,
      );
      return one && { sequence: Number(one.sequence), enqueuedAt: Number(one.at) };
    }
    async function isMore(sequence: number): Promise<boolean> {
      values.length = 0;
      return (await run(looked('t.sequence::text AS sequence', sequence, 'LIMIT 1'), values)).length > 0;
    }
  }

  return {
    search,
    async quarantined(of: Wrong, asOf: number, after: number, limit: number): Promise<Row[]> {
      if (!isGroup(of)) return [];
      const values = [...groupOf(of, asOf), String(after), String(limit)];
      const page = `SELECT q.* FROM ${schema}.queue AS q WHERE ${OF_GROUP} AND q.sequence > $6::text::bigint ORDER BY q.sequence LIMIT $7::text::bigint`;
      const found = await run(`SELECT ${QUARANTINED} FROM (${page}) AS q JOIN ${schema}.reports AS r ON r.sequence = q.sequence ORDER BY q.sequence`, values);
      return found.map(readQuarantined);
    },
    async wrong(): Promise<WrongCount[]> {
      const found = await run(
        `SELECT json_build_object('account', w.account, 'environment', w.environment, 'code', w.code, 'words', w.words, 'count', w.number, 'firstAt', w.first_at,
          'lastAt', w.last_at, 'example', w.example)::text AS wrong FROM (
            SELECT account, environment, coalesce(wrong_code, 'unknown') AS code, coalesce(wrong_words, '') AS words, count(*) AS number, min(changed_at) AS first_at,
              max(changed_at) AS last_at, min(sequence) AS example
            FROM ${schema}.queue WHERE state = 'quarantined' GROUP BY account, environment, coalesce(wrong_code, 'unknown'), coalesce(wrong_words, '')) AS w`,
      );
      return found.map(({ wrong }) => JSON.parse(wrong ?? 'null') as WrongCount);
    },
    async tally(of: Wrong, asOf: number, withSettlements: boolean): Promise<GroupTally> {
      const settlements = `coalesce(sum((SELECT count(*) FROM ${schema}.queue AS d WHERE d.waits_for = r.id AND d.blocked)), 0)`;
      if (!isGroup(of)) return { count: 0, inDoubt: 0, operations: {}, settlements: 0 };
      const found = await run(
        `SELECT json_build_object('operation', r.operation, 'count', count(*), 'inDoubt', count(*) FILTER (WHERE q.in_doubt),
          'settlements', ${withSettlements ? settlements : '0'})::text AS tally
          FROM ${schema}.queue AS q JOIN ${schema}.reports AS r ON r.sequence = q.sequence WHERE ${OF_GROUP} GROUP BY r.operation`,
        groupOf(of, asOf),
      );
      const all = found.map(({ tally }) => JSON.parse(tally ?? 'null') as { operation: string; count: number; inDoubt: number; settlements: number });
      const sum = (name: 'count' | 'inDoubt' | 'settlements') => all.reduce((total, one) => total + one[name], 0);
      return {
        count: sum('count'),
        inDoubt: sum('inDoubt'),
        settlements: sum('settlements'),
        operations: Object.fromEntries(all.map((one) => [one.operation, one.count])),
      };
    },
    rows: async (sequences: readonly number[]): Promise<Row[]> =>
      (
        await run(
          selectBodiless(
            schema,
            'ORDER BY looked.sequence',
            '(SELECT value::bigint AS sequence FROM json_array_elements_text($1::text::json) AS given(value)) AS looked JOIN',
            'ON r.sequence = looked.sequence',
          ),
          [JSON.stringify(sequences)],
        )
      ).map(readRow),
  };
}
