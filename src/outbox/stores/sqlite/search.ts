import { ENVIRONMENTS } from '../../../errors/errors.js';
import { asRecord } from '../../../platform/as-record.js';
import { operationNames } from '../../../protocol/operations.js';
import { rowId } from '../../intake/enqueue.js';
import type { OutboxEnvironment } from '../../rules/destination.js';
import { isFinal, type Row, type RowState } from '../../rules/state-machine.js';
import type { ProblemCount, ProblemKey, RowPage, RowSearch } from '../../store/operator-store.js';
import type { RowQuery } from '../../store/store.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { isStorable } from '../rows.js';
import type { Columns, Connection, SqliteValue } from './database.js';
import { createDestinations } from './destinations.js';
import { BODILESS, ROW, rowOf } from './rows.js';
import { AT_THE_HEAD, BEHIND_THE_HEAD, HAS_KEY_ID, OPEN } from './schema.js';

interface Statement {
  readonly sql: string;
  readonly values: SqliteValue[];
}

/** Rows of a state in the index of those that are neither final nor at the head of the queue. */
const byState = (state: RowState) => ({
  index: 'INDEXED BY outbox_by_state',
  where: `${BEHIND_THE_HEAD} AND state = '${state}'`,
});

/** The indexes by which the rows of a state are found. Final states need none, since most of the table is final. */
function placesOf(state: RowState | undefined): readonly { index: string; where: string }[] {
  if (state === undefined) return [{ index: '', where: 'TRUE' }];
  if (isFinal(state)) return [{ index: '', where: `state = '${state}'` }];
  const heads = ENVIRONMENTS.map((environment) => ({
    index: 'INDEXED BY outbox_due',
    where: `${AT_THE_HEAD} AND due_at = ${HEAD_OF_THE_QUEUE} AND environment = '${environment}'`,
  }));
  return [...(state === 'waiting' ? heads : []), byState(state)];
}

/** The statements of a query, each in the order of `sequence`. A query by state or reference must have an account. */
export function listStatements({
  account,
  state,
  environment,
  operation,
  reference,
  after = 0,
  limit,
}: RowQuery): Statement[] {
  const conditions = Object.entries({ account, environment, operation }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  const where = (first: string) => [first, ...conditions.map(({ name }) => `${name} = ?`)].join(' AND ');
  const values = [after, ...conditions.map(({ value }) => value), limit];
  if (reference === undefined)
    return placesOf(state).map((place) => ({
      sql: `SELECT ${ROW} FROM outbox_rows ${place.index} WHERE ${place.where} AND ${where('sequence > ?')} ORDER BY sequence LIMIT ?`,
      values,
    }));
  // A reference has only a few possible ids, which are found by their index.
  const ids = ENVIRONMENTS.flatMap((one) =>
    operationNames.map((name) => rowId({ account: account ?? '', environment: one }, name, reference)),
  );
  const inState = state === undefined ? '' : `state = '${state}' AND `;
  return [
    {
      sql: `SELECT ${ROW} FROM outbox_rows WHERE id IN (${ids.map(() => '?').join()}) AND ${inState}${where('+sequence > ?')} ORDER BY sequence LIMIT ?`,
      values: [...ids, ...values],
    },
  ];
}

/**
 * Lists rows. By state or reference it reads each account with its indexes. Otherwise it needs no account, so rows of a
 * damaged account are listed, too.
 */
export function listRows(connection: Connection, query: RowQuery): Row[] {
  const { account, state, environment, operation, reference, limit } = query;
  // SQLite would change this text, which might then match other rows.
  if (![account, state, environment, operation, reference].every((text) => text === undefined || isStorable(text)))
    return [];
  const needsAccount = account === undefined && (state ?? reference) !== undefined;
  const accounts = needsAccount ? createDestinations(connection).accounts() : [account];
  const rows = accounts.flatMap((one) =>
    listStatements({ ...query, account: one }).flatMap(({ sql, values }) => connection.all(sql, ...values).map(rowOf)),
  );
  return rows.sort((a, b) => a.sequence - b.sequence).slice(0, limit);
}

const PLACE = 'sequence, enqueued_at';
const GROUP_CONDITION =
  "INDEXED BY outbox_wrong WHERE state = 'quarantined' AND account = ? AND environment = ? AND wrong_code = ? AND wrong_words = ? AND changed_at <= ?";
const GROUP_ROWS = `SELECT ${BODILESS} FROM outbox_rows ${GROUP_CONDITION} AND sequence > ? ORDER BY sequence LIMIT ?`;
const PROBLEM_GROUPS = `SELECT account, environment, wrong_code, wrong_words, count(*) AS count, min(changed_at) AS first, max(changed_at) AS last, min(sequence) AS example
  FROM outbox_rows INDEXED BY outbox_wrong WHERE state = 'quarantined' GROUP BY account, environment, wrong_code, wrong_words`;
const SETTLEMENTS =
  "sum((SELECT count(*) FROM outbox_rows AS d INDEXED BY outbox_dependents WHERE d.waits_for = r.id AND d.state = 'waiting' AND d.blocked = 1))";
const TALLY = (settlements: string) =>
  `SELECT operation, count(*) AS count, sum(in_doubt) AS in_doubt, ${settlements} AS settlements FROM outbox_rows AS r ${GROUP_CONDITION} GROUP BY operation`;
/** The numbers of the rows of a state that is not final, which only reads indexes. */
function sequencesIn(state: RowState): string {
  const { index, where } = byState(state);
  const behind = `SELECT sequence FROM outbox_rows ${index} WHERE ${where}`;
  return state === 'waiting'
    ? `SELECT sequence FROM outbox_rows INDEXED BY outbox_due WHERE ${AT_THE_HEAD} UNION ALL ${behind}`
    : behind;
}

/** The tolerance of a search by time. A clock or a long transaction may put rows out of the order of their times. */
const SLACK_MS = 600_000;

const groupOf = ({ account, environment, code, words }: ProblemKey, asOf: number): SqliteValue[] => [
  account,
  environment,
  code,
  words,
  Math.trunc(asOf),
];

/** The queries of the console about rows. */
export function createSearch({ first, all }: Connection) {
  const at = (sequence: number) =>
    first(`SELECT ${PLACE} FROM outbox_rows WHERE sequence >= ? ORDER BY sequence LIMIT 1`, sequence);

  /** The approximate lowest `sequence` of the rows that were enqueued at this time or later. It rises with time. */
  function sequenceAt(time: number): number {
    let [low, high] = [1, Number(first(`SELECT max(sequence) AS last FROM outbox_rows`)?.last ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (Number(at(middle)?.enqueued_at ?? Number.POSITIVE_INFINITY) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function search({
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
  }: RowSearch): RowPage {
    if (![account, ...(accounts ?? [])].every((text) => text === undefined || isStorable(text)))
      return { rows: [], reached: undefined };
    const equal = Object.entries({
      account,
      environment,
      operation,
      state,
      blocked: blocked === undefined ? undefined : Number(blocked),
    });
    const given = equal.flatMap(([name, value]) =>
      value === undefined ? [] : [{ text: `${name} = ?`, values: [value] }],
    );
    if (accounts) given.push({ text: `account IN (${accounts.map(() => '?').join()})`, values: [...accounts] });
    if (from !== undefined) given.push({ text: 'enqueued_at >= ?', values: [from] });
    if (to !== undefined) given.push({ text: 'enqueued_at < ?', values: [to] });
    const last = to === undefined ? before : Math.min(before, sequenceAt(to + SLACK_MS));
    const lowest = from === undefined ? 0 : sequenceAt(from - SLACK_MS);
    // A state with few rows is searched by its indexes.
    const inState = state === undefined || isFinal(state) ? '' : `AND sequence IN (${sequencesIn(state)})`;
    const looked = `FROM outbox_rows WHERE sequence < ? AND sequence >= ? ${inState} ORDER BY sequence DESC LIMIT ?`;
    const where = given.length > 0 ? `WHERE ${given.map(({ text }) => text).join(' AND ')}` : '';
    const rows = all(
      `SELECT ${BODILESS} FROM (SELECT * ${looked}) ${where} LIMIT ?`,
      last,
      lowest,
      look,
      ...given.flatMap(({ values }) => values),
      limit,
    ).map(rowOf);
    const end =
      rows.length === limit
        ? rows.at(-1)
        : reachedOf(first(`SELECT ${PLACE} ${looked} OFFSET ?`, last, lowest, 1, look - 1));
    const isMore = end && first(`SELECT ${PLACE} ${looked}`, end.sequence, lowest, 1) !== undefined;
    return { rows, reached: isMore ? { sequence: end.sequence, enqueuedAt: end.enqueuedAt } : undefined };
  }

  return {
    search,
    quarantined: (of: ProblemKey, asOf: number, after: number, limit: number): Row[] =>
      all(GROUP_ROWS, ...groupOf(of, asOf), after, limit).map(rowOf),
    problemGroups: (): ProblemCount[] =>
      all(PROBLEM_GROUPS).map((found) => ({
        account: String(found.account),
        environment: String(found.environment) as OutboxEnvironment,
        code: String(found.wrong_code),
        words: String(found.wrong_words),
        count: Number(found.count),
        firstAt: Number(found.first),
        lastAt: Number(found.last),
        example: Number(found.example),
      })),
    tally(of: ProblemKey, asOf: number, withSettlements: boolean) {
      const found = all(TALLY(withSettlements ? SETTLEMENTS : '0'), ...groupOf(of, asOf));
      const sum = (name: string) => found.reduce((total, one) => total + Number(one[name]), 0);
      const operations = Object.fromEntries(found.map(({ operation, count }) => [String(operation), Number(count)]));
      return { count: sum('count'), inDoubt: sum('in_doubt'), settlements: sum('settlements'), operations };
    },
    rows: (sequences: readonly number[]): Row[] =>
      all(
        `SELECT ${BODILESS} FROM outbox_rows WHERE sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence`,
        JSON.stringify(sequences),
      ).map(rowOf),
  };
}

const reachedOf = (found: Columns | undefined) =>
  found && { sequence: Number(found.sequence), enqueuedAt: Number(found.enqueued_at) };

/** Reads only the index. All rows that lack the same key have the same problem text. */
export const LACKING = `SELECT DISTINCT problem FROM outbox_rows INDEXED BY outbox_locked WHERE ${OPEN} AND ${HAS_KEY_ID} AND account = ?`;

/** The ids of the missing keys of open rows. */
export function readMissingKeys({ all }: Pick<Connection, 'all'>, accounts: readonly string[]): string[] {
  const found = accounts.flatMap((account) => all(LACKING, account)).flatMap(({ problem }) => keyIdIn(String(problem)));
  return [...new Set(found)].sort();
}

/** The key id in a problem. A damaged problem has none. */
function keyIdIn(problem: string): string[] {
  try {
    const { keyId } = asRecord(JSON.parse(problem));
    return typeof keyId === 'string' ? [keyId] : [];
  } catch {
    return [];
  }
}
