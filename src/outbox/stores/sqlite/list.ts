import { operationNames } from '../../../protocol/operations.js';
import { ENVIRONMENTS } from '../../destination.js';
import { rowId } from '../../intake/enqueue.js';
import type { Row } from '../../state-machine.js';
import type { RowQuery } from '../../store.js';
import { isStorable } from '../storable.js';
import type { Connection, SqliteValue } from './database.js';
import { createDestinations } from './destinations.js';
import { ROW, rowOf } from './row-columns.js';
import { OPEN } from './schema.js';

/** The index by which the rows of a state are found. Final states need none, since most of the table is final. */
const BY_STATE: Readonly<Record<Row['state'], { index: string; where: string }>> = {
  waiting: { index: 'INDEXED BY outbox_open', where: `${OPEN} AND state = 'waiting'` },
  'in-flight': { index: 'INDEXED BY outbox_open', where: `${OPEN} AND state = 'in-flight'` },
  quarantined: { index: 'INDEXED BY outbox_quarantined', where: "state = 'quarantined'" },
  recorded: { index: '', where: "state = 'recorded'" },
  dismissed: { index: '', where: "state = 'dismissed'" },
};

/** The statement and values of a query. A query by state or reference must have an account. */
export function listStatement({ account, state, environment, operation, reference, after = 0, limit }: RowQuery): { sql: string; values: SqliteValue[] } {
  const conditions = Object.entries({ account, environment, operation }).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const byState = state === undefined ? undefined : BY_STATE[state];
  // A reference has only a few possible ids, which are found by their index.
  const ids =
    reference === undefined
      ? []
      : ENVIRONMENTS.flatMap((one) => operationNames.map((name) => rowId({ account: account ?? '', environment: one }, name, reference)));
  const index = ids.length === 0 ? (byState?.index ?? '') : '';
  const where = [
    ids.length > 0 ? `id IN (${ids.map(() => '?').join()}) AND +sequence > ?` : 'sequence > ?',
    ...(byState ? [byState.where] : []),
    ...conditions.map(({ name }) => `${name} = ?`),
  ].join(' AND ');
  return {
    sql: `SELECT ${ROW} FROM outbox_rows ${index} WHERE ${where} ORDER BY sequence LIMIT ?`,
    values: [...ids, after, ...conditions.map(({ value }) => value), limit],
  };
}

/** Lists rows. By state or reference it reads each account with its indexes. Otherwise it needs no account, so rows of a damaged account are listed, too. */
export function listRows(connection: Connection, query: RowQuery): Row[] {
  const { account, state, environment, operation, reference, limit } = query;
  // SQLite would change this text, which might then match other rows.
  if (![account, state, environment, operation, reference].every((text) => text === undefined || isStorable(text))) return [];
  const needsAccount = account === undefined && (state ?? reference) !== undefined;
  const accounts = needsAccount ? createDestinations(connection).accounts() : [account];
  const rows = accounts.flatMap((one) => {
    const { sql, values } = listStatement({ ...query, account: one });
    return connection.all(sql, ...values).map(rowOf);
  });
  return rows.sort((a, b) => a.sequence - b.sequence).slice(0, limit);
}
