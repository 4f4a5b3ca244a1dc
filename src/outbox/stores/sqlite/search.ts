import { ENVIRONMENTS } from '../../../core/errors/errors.js';
import { asRecord } from '../../../core/platform/as-record.js';
import { operationNames } from '../../../core/protocol/operations.js';
import { rowId } from '../../intake/enqueue.js';
import { isFinal, type Row, type RowState } from '../../rules/state-machine.js';
import type { RowPage, RowSearch } from '../../store/operator-store.js';
import type { RowQuery } from '../../store/store.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import type { SearchRange } from '../sql/statements.js';
import { isStorable } from '../storable-text.js';
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
    where: `${AT_THE_HEAD} AND due_at = ${HEAD_OF_THE_QUEUE} AND environment = '${environment}' AND state = 'waiting'`,
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
/** The numbers of the rows of a state that is not final, which only reads indexes. */
function sequencesIn(state: RowState): string {
  const { index, where } = byState(state);
  const behind = `SELECT sequence FROM outbox_rows ${index} WHERE ${where}`;
  return state === 'waiting'
    ? `SELECT sequence FROM outbox_rows INDEXED BY outbox_due WHERE ${AT_THE_HEAD} UNION ALL ${behind}`
    : behind;
}

export function searchRows(
  { first, all }: Connection,
  { accounts, account, environment, operation, state, blocked, from, to, limit, look }: RowSearch,
  { lowest, end: last }: SearchRange,
): RowPage {
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

const reachedOf = (found: Columns | undefined) =>
  found && { sequence: Number(found.sequence), enqueuedAt: Number(found.enqueued_at) };

/** Reads only the index. All rows that lack the same key have the same problem text. */
export const LACKING = `SELECT DISTINCT problem FROM outbox_rows INDEXED BY outbox_locked WHERE ${OPEN} AND ${HAS_KEY_ID} AND account = ?`;

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
