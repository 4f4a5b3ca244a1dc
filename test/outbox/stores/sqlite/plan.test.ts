import { describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../../src/outbox/stores/sqlite/database.js';
import { listStatement } from '../../../../src/outbox/stores/sqlite/list.js';
import { LACKING } from '../../../../src/outbox/stores/sqlite/missing-keys.js';
import { UNLOGGED } from '../../../../src/outbox/stores/sqlite/receipts.js';
import { BLOCK, DUE, FIRST_DUE, LAST_DUE, RESCUE, UNTRIED } from '../../../../src/outbox/stores/sqlite/rows.js';
import { COUNT_BLOCKED, COUNT_OPEN, OLDEST } from '../../../../src/outbox/stores/sqlite/tally.js';
import { newFile, openLibsql, openStore, query } from './files.js';

/** The steps of SQLite's plan for a statement. */
const planOf = (database: SqliteDatabase, sql: string): string[] =>
  query(database, `EXPLAIN QUERY PLAN ${sql.replaceAll('?', '0')}`).map(({ detail }) => String(detail));

const STATEMENTS: readonly (readonly [what: string, sql: string, index: string])[] = [
  ['the rows of a claim', DUE, 'outbox_due'],
  ['rows that were never claimed', UNTRIED, 'outbox_due'],
  ['the time of the next due row', FIRST_DUE, 'outbox_due'],
  ['the time of the last due row', LAST_DUE, 'outbox_due'],
  ['rows of a clock that jumped', RESCUE, 'outbox_due'],
  ['those that wait for a row', BLOCK, 'outbox_dependents'],
  ['rows that have no line', UNLOGGED, 'outbox_unlogged'],
  ['the oldest open row', OLDEST, 'outbox_open'],
  ['waiting rows', listStatement({ account: 'default', state: 'waiting', limit: 1 }).sql, 'outbox_open'],
  ['all rows', listStatement({ limit: 1 }).sql, 'INTEGER PRIMARY KEY'],
  ['quarantined rows', listStatement({ account: 'default', state: 'quarantined', limit: 1 }).sql, 'outbox_quarantined'],
  ['the number of blocked rows', COUNT_BLOCKED, 'outbox_dependents'],
  ['the number of rows in flight', COUNT_OPEN, 'outbox_open'],
  ['the missing keys', LACKING, 'outbox_locked'],
  ['a row', 'SELECT body FROM outbox_rows WHERE id = ?', 'sqlite_autoindex_outbox_rows_1'],
];

describe('the cost of a statement', () => {
  it('does not grow with the rows that it does not return: each uses an index, and none sorts', async () => {
    const file = newFile();
    const store = await openStore(file);
    const database = openLibsql(file);
    for (const [what, sql, index] of STATEMENTS) {
      const plan = planOf(database, sql);
      expect([what, plan.join('; ')]).toEqual([what, expect.stringContaining(index)]);
      expect([what, plan.filter((step) => /TEMP B-TREE|^SCAN (?!outbox_rows USING (?:COVERING )?INDEX|\(subquery)/.test(step))]).toEqual([what, []]);
    }
    expect(planOf(database, listStatement({ account: 'default', reference: 'B-1', limit: 1 }).sql)[0]).toContain('sqlite_autoindex_outbox_rows_1');
    database.close();
    await store.close?.();
  });
});
