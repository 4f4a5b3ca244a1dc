import type { Dialect } from '../sql/dialect.js';
import type { Commits } from './commits.js';
import type { Columns, Connection, SqliteValue } from './database.js';
import { BODILESS, rowOf } from './rows.js';

const inSqlite = (text: string): string => text.replaceAll('?#', '?').replaceAll('schema.', 'outbox_');

export function dialectOf(connection: Connection, now: () => number, { read, write }: Commits): Dialect {
  const all = <One extends object>(text: string, values: readonly SqliteValue[]) =>
    connection.all<One>(inSqlite(text), ...values);
  const first = <One extends object = Columns>(text: string, values: readonly SqliteValue[]) =>
    connection.first<One>(inSqlite(text), ...values);
  return {
    all: <One extends object>(text: string, ...values: readonly SqliteValue[]) => read(() => all<One>(text, values)),
    first: <One extends object>(text: string, ...values: readonly SqliteValue[]) =>
      read(() => first<One>(text, values)),
    change: (text, ...values) => write(() => first(text, values)),
    changeByClock: (text, ...values) =>
      write(() => first(`WITH clock AS (SELECT ? AS now) ${text}`, [now(), ...values])),
    appended: (column, members) => `json_insert(${column}, '$[#]', json_object(${members}))`,
    bodiless: (sequences, ...values) =>
      read(() =>
        all<Columns>(
          `SELECT ${BODILESS} FROM outbox_rows WHERE sequence IN (${sequences}) ORDER BY sequence`,
          values,
        ).map(rowOf),
      ),
    rowsTable: 'outbox_rows',
    quarantinedTable: 'outbox_rows AS q INDEXED BY outbox_problems',
    joinOfOperation: '',
    countOfSettlements: `(SELECT count(*) FROM outbox_rows AS d INDEXED BY outbox_dependents
      WHERE d.waits_for = q.id AND d.state = 'waiting' AND d.blocked = 1)`,
    elements: 'json_each(?)',
  };
}
