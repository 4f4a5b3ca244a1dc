import { describe, expect, it } from 'vitest';
import { DUE, FIRST_DUE, LAST_DUE, RESCUE, UNTRIED } from '../../../../src/outbox/stores/sqlite/claims.js';
import {
  COUNT_BLOCKED,
  COUNT_IN_FLIGHT,
  COUNT_QUEUED,
  OLDEST_AT_THE_HEAD,
  OLDEST_BY_STATE,
} from '../../../../src/outbox/stores/sqlite/counts.js';
import type { SqliteDatabase } from '../../../../src/outbox/stores/sqlite/database.js';
import { UNLOGGED } from '../../../../src/outbox/stores/sqlite/final-rows.js';
import { BLOCK, SENT_AFTER } from '../../../../src/outbox/stores/sqlite/rows.js';
import { LACKING, listStatements } from '../../../../src/outbox/stores/sqlite/search.js';
import { newFile, openSqlite, openStore, query } from './files.js';

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
  ['the row in flight that waits for a row', SENT_AFTER, 'SEARCH a USING INDEX sqlite_autoindex_outbox_rows_1'],
  ['rows that have no line', UNLOGGED, 'outbox_unlogged'],
  ['the oldest row at the head of the queue', OLDEST_AT_THE_HEAD, 'outbox_due'],
  ['the oldest row behind it', OLDEST_BY_STATE, 'outbox_by_state'],
  ...listStatements({ account: 'default', state: 'waiting', limit: 1 }).map(
    ({ sql }, index) => ['waiting rows', sql, index < 2 ? 'outbox_due' : 'outbox_by_state'] as const,
  ),
  ...listStatements({ limit: 1 }).map(({ sql }) => ['all rows', sql, 'INTEGER PRIMARY KEY'] as const),
  ...listStatements({ account: 'default', state: 'quarantined', limit: 1 }).map(
    ({ sql }) => ['quarantined rows', sql, 'outbox_by_state'] as const,
  ),
  ['the number of queued rows', COUNT_QUEUED, 'outbox_due'],
  ['the number of blocked rows', COUNT_BLOCKED, 'outbox_dependents'],
  ['the number of rows in flight', COUNT_IN_FLIGHT, 'outbox_by_state'],
  ['the missing keys', LACKING, 'outbox_locked'],
  ['a row', 'SELECT body FROM outbox_rows WHERE id = ?', 'sqlite_autoindex_outbox_rows_1'],
];

describe('the cost of a statement', () => {
  it('does not grow with the rows that it does not return: each uses an index, and none sorts', async () => {
    const file = newFile();
    const store = await openStore(file);
    const database = openSqlite(file);
    for (const [what, sql, index] of STATEMENTS) {
      const plan = planOf(database, sql);
      expect([what, plan.join('; ')]).toEqual([what, expect.stringContaining(index)]);
      expect([
        what,
        plan.filter((step) => /TEMP B-TREE|^SCAN (?!outbox_rows USING (?:COVERING )?INDEX|\(subquery)/.test(step)),
      ]).toEqual([what, []]);
    }
    for (const { sql } of listStatements({ account: 'default', reference: 'B-1', limit: 1 }))
      expect(planOf(database, sql)[0]).toContain('sqlite_autoindex_outbox_rows_1');
    database.close();
    await store.close?.();
  });
});
