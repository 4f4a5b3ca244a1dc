import { ENVIRONMENTS } from '../../../errors/errors.js';
import { operationNames } from '../../../protocol/operations.js';
import { rowId } from '../../intake/enqueue.js';
import type { Row } from '../../rules/state-machine.js';
import type { GroupTally, ProblemCount, ProblemKey, RowPage, RowSearch } from '../../store/operator-store.js';
import type { RowQuery } from '../../store/store.js';
import { isStorable } from '../rows.js';
import type { PostgresValue, Run } from './database.js';
import { isOpenBefore, LACKS_KEY, readRow, selectBodiless, selectRows } from './sql-parts.js';

/**
 * Lists rows in the order of `sequence`. A row gets its number when it is written, and is visible after its commit. So
 * a page may miss a row with a lower number whose transaction was still open. The outbox does not rely on the order.
 */
export async function listRows(
  run: Run,
  schema: string,
  { account, state, environment, operation, reference, after = 0, limit }: RowQuery,
): Promise<Row[]> {
  if ([account, state, environment, operation, reference].some((text) => text !== undefined && !isStorable(text)))
    return [];
  const accounts = account === undefined ? await accountsOf(run, schema) : [account];
  const values: PostgresValue[] = [];
  const bind = (value: string): string => `$${values.push(value)}::text`;
  const conditions = [`r.sequence > ${bind(String(after))}::bigint`];
  // A reference has only a few possible ids, which are found by their index.
  if (reference !== undefined) {
    const destinations = accounts.flatMap((one) => ENVIRONMENTS.map((environment) => ({ account: one, environment })));
    const ids = destinations.flatMap((one) => operationNames.map((name) => rowId(one, name, reference)));
    if (ids.length === 0) return [];
    conditions.push(`r.id IN (${ids.map(bind).join(', ')})`);
  }
  if (account !== undefined) conditions.push(`r.account = ${bind(account)}`);
  if (environment !== undefined) conditions.push(`r.environment = ${bind(environment)}`);
  if (operation !== undefined) conditions.push(`r.operation = ${bind(operation)}`);
  if (state !== undefined)
    conditions.push(
      state === 'recorded' || state === 'dismissed' ? `r.state = ${bind(state)}` : `q.state = ${bind(state)}`,
    );
  const order = `ORDER BY ${state === undefined || state === 'recorded' || state === 'dismissed' ? 'r' : 'q'}.sequence`;
  const rows = await run(
    selectRows(schema, `WHERE ${conditions.join(' AND ')} ${order} LIMIT ${bind(String(limit))}::bigint`),
    values,
  );
  return rows.map(readRow);
}

const accountsOf = async (run: Run, schema: string): Promise<string[]> =>
  (await run(`SELECT DISTINCT account FROM ${schema}.destinations ORDER BY account`)).flatMap(
    ({ account }) => account ?? [],
  );

/** The tolerance of a search by time. A clock or a long transaction may put rows out of the order of their times. */
const SLACK_MS = 600_000;
const GROUP_CONDITION = `q.state = 'quarantined' AND q.account = $1::text AND q.environment = $2::text AND q.wrong_code = $3::text
  AND q.wrong_words = $4::text AND q.changed_at <= $5::text::bigint`;
const groupOf = ({ account, environment, code, words }: ProblemKey, asOf: number): string[] => [
  account,
  environment,
  code,
  words,
  String(Math.trunc(asOf)),
];
const isGroup = ({ account, environment, code, words }: ProblemKey): boolean =>
  [account, environment, code, words].every(isStorable);

/** The queries of the console about rows. */
export function createSearch(run: Run, schema: string) {
  /** The time of the first row with this `sequence` or a higher one. */
  const timeAt = async (sequence: number): Promise<number> => {
    const [found] = await run(
      `SELECT r.enqueued_at::text AS at FROM ${schema}.reports AS r WHERE r.sequence >= $1::text::bigint ORDER BY r.sequence LIMIT 1`,
      [String(sequence)],
    );
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

  async function search({
    accounts,
    account,
    environment,
    operation,
    state,
    blocked,
    from,
    to,
    before,
    limit,
    look,
  }: RowSearch): Promise<RowPage> {
    if (![account, environment, operation, ...(accounts ?? [])].every((text) => text === undefined || isStorable(text)))
      return { rows: [], reached: undefined };
    const values: PostgresValue[] = [];
    const bind = (value: string): string => `$${values.push(value)}::text`;
    const isOpen = state !== undefined && state !== 'recorded' && state !== 'dismissed';
    const last = to === undefined ? before : Math.min(before, await sequenceAt(to + SLACK_MS));
    const lowest = from === undefined ? 0 : await sequenceAt(from - SLACK_MS);
    const range = (high: number) =>
      `t.sequence < ${bind(String(high))}::bigint AND t.sequence >= ${bind(String(lowest))}::bigint`;
    // For an open state, the smaller queue is searched.
    const source = isOpen ? `${schema}.queue` : `${schema}.reports`;
    // Rows in flight are few and have no index. Reading the table once costs less than following an index through all
    // of it.
    const ofState = state === 'quarantined' ? " AND t.state = 'quarantined'" : '';
    const table =
      state === 'in-flight'
        ? `(SELECT f.sequence, f.account, f.environment FROM ${source} AS f WHERE f.state = 'in-flight' OFFSET 0)`
        : source;
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
      selectBodiless(
        schema,
        `${all(conditions)} ORDER BY looked.sequence DESC ${limited}`,
        kept,
        'ON r.sequence = looked.sequence',
      ),
      values,
    );
    const rows = found.map(readRow);
    const end = rows.length === limit ? rows.at(-1) : state === 'in-flight' ? undefined : await endOf();
    return {
      rows,
      reached: end && (await isMore(end.sequence)) ? { sequence: end.sequence, enqueuedAt: end.enqueuedAt } : undefined,
    };

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
    async quarantined(of: ProblemKey, asOf: number, after: number, limit: number): Promise<Row[]> {
      if (!isGroup(of)) return [];
      const values = [...groupOf(of, asOf), String(after), String(limit)];
      const page = `SELECT q.sequence FROM ${schema}.queue AS q WHERE ${GROUP_CONDITION} AND q.sequence > $6::text::bigint ORDER BY q.sequence LIMIT $7::text::bigint`;
      const found = await run(
        selectBodiless(
          schema,
          'ORDER BY looked.sequence',
          `(${page}) AS looked JOIN`,
          'ON r.sequence = looked.sequence',
        ),
        values,
      );
      return found.map(readRow);
    },
    async problemGroups(): Promise<ProblemCount[]> {
      const found = await run(
        `SELECT json_build_object('account', w.account, 'environment', w.environment, 'code', w.code, 'words', w.words, 'count', w.number, 'firstAt', w.first_at,
          'lastAt', w.last_at, 'example', w.example)::text AS counted FROM (
            SELECT account, environment, wrong_code AS code, wrong_words AS words, count(*) AS number, min(changed_at) AS first_at,
              max(changed_at) AS last_at, min(sequence) AS example
            FROM ${schema}.queue WHERE state = 'quarantined' GROUP BY account, environment, wrong_code, wrong_words) AS w`,
      );
      return found.map(({ counted }) => JSON.parse(counted ?? 'null') as ProblemCount);
    },
    async tally(of: ProblemKey, asOf: number, withSettlements: boolean): Promise<GroupTally> {
      const settlements = `coalesce(sum((SELECT count(*) FROM ${schema}.queue AS d WHERE d.waits_for = r.id AND d.blocked)), 0)`;
      if (!isGroup(of)) return { count: 0, inDoubt: 0, operations: {}, settlements: 0 };
      const found = await run(
        `SELECT json_build_object('operation', r.operation, 'count', count(*), 'inDoubt', count(*) FILTER (WHERE q.in_doubt),
          'settlements', ${withSettlements ? settlements : '0'})::text AS tally
          FROM ${schema}.queue AS q JOIN ${schema}.reports AS r ON r.sequence = q.sequence WHERE ${GROUP_CONDITION} GROUP BY r.operation`,
        groupOf(of, asOf),
      );
      const all = found.map(
        ({ tally }) =>
          JSON.parse(tally ?? 'null') as { operation: string; count: number; inDoubt: number; settlements: number },
      );
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

/** The ids of the missing keys of open rows, which have a separate index. */
export async function readMissingKeys(run: Run, schema: string, accounts?: readonly string[]): Promise<string[]> {
  const found = await run(
    `SELECT DISTINCT q.problem->>'keyId' AS "keyId" FROM ${schema}.queue AS q
      WHERE ${LACKS_KEY} AND jsonb_typeof(q.problem -> 'keyId') = 'string'
      AND ($1::text IS NULL OR q.account IN (SELECT json_array_elements_text($1::text::json)))`,
    [accounts === undefined ? null : JSON.stringify(accounts)],
  );
  return found.flatMap(({ keyId }) => keyId ?? []).sort();
}
