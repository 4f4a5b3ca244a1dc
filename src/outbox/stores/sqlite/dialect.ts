import type { Dialect } from '../sql/dialect.js';
import type { Commits } from './commits.js';
import type { Connection, SqliteValue } from './database.js';
import { BODILESS, rowOf } from './rows.js';

/** The shared statements in the words of SQLite. */
export function dialectOf(connection: Connection, now: () => number, { read, write }: Commits): Dialect {
  const all = (text: string, values: readonly SqliteValue[]) => connection.all(text.replaceAll('?#', '?'), ...values);
  const first = (text: string, values: readonly SqliteValue[]) =>
    connection.first(text.replaceAll('?#', '?'), ...values);
  return {
    table: (name) => `outbox_${name}`,
    columns: (...given) => given.join(', '),
    all: (text, ...values) => read(() => all(text, values)),
    first: (text, ...values) => read(() => first(text, values)),
    change: (text, ...values) => write(() => first(text, values)),
    changeByClock: (text, ...values) =>
      write(() => first(`WITH clock AS (SELECT ? AS now) ${text}`, [now(), ...values])),
    appended: (column, members) => `json_insert(${column}, '$[#]', json_object(${members}))`,
    bodiless: (sequences, ...values) =>
      read(() =>
        all(`SELECT ${BODILESS} FROM outbox_rows WHERE sequence IN (${sequences}) ORDER BY sequence`, values).map(
          rowOf,
        ),
      ),
    rowsTable: 'outbox_rows',
    quarantinedTable: 'outbox_rows AS q INDEXED BY outbox_problems',
    joinOfOperation: '',
    countOfSettlements: `(SELECT count(*) FROM outbox_rows AS d INDEXED BY outbox_dependents
      WHERE d.waits_for = q.id AND d.state = 'waiting' AND d.blocked = 1)`,
    elements: 'json_each(?)',
  };
}
