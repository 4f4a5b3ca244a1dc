// @module-tag slow: damages each column in turn; damaged-row.test.ts has the same rules.
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import type { SqliteDatabase } from '../../../../src/outbox/stores/sqlite/database.js';
import { sampleOf } from '../../../support/cases.js';
import { personalBet, personalSettlement } from '../../personal.js';
import { outboxWorld } from '../../world.js';
import { copyOf, LIBRARIES, newFile, openSqlite, query } from './files.js';

// Another tool writes a wrong value into one column of one row. Either the database refuses it, or every other report
// is recorded, and the damaged one is recorded or shown as damaged.

const WRONG = ['NULL', "'zz'", "''", "X'7A7B'", '-1', '2', '9223372036854775807', '-9223372036854775808', '1.5e300'];

/** The other tables, and the row of each that is damaged. */
const TABLES = {
  outbox_destinations: "account = 'default' AND environment = 'staging'",
  outbox_receipts: 'position = 0',
  outbox_settings: '1',
  outbox_counts: '1',
} as const;

const bad = (index: number) => `B-bad-${index}`;
const SOUND = ['B-0', 'B-1', 'B-2'];

/** A file with a recorded bet, bets to damage, and later bets. */
async function waitingFile(open: (file: string) => SqliteDatabase, damaged = 0) {
  const file = newFile();
  const store = await sqliteStore({ file, open });
  const { outbox, run } = outboxWorld({ store });
  await outbox.reportBetEvent(personalBet('B-0'));
  await run(outbox.drain());
  await outbox.reportAll(
    [...Array.from({ length: damaged }, (_, index) => bad(index)), 'B-1', 'B-2'].map((bet) => ({
      operation: 'reportBetEvent',
      payload: personalBet(bet),
    })),
  );
  await outbox.reportSettledBet(personalSettlement('B-1'));
  await store.close?.();
  return file;
}

/** Whether the database accepted the value. */
function damage(file: string, open: (file: string) => SqliteDatabase, sql: string): boolean {
  const database = open(file);
  try {
    database.exec(sql);
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/constraint|datatype mismatch|cannot store/i);
    return false;
  } finally {
    database.close();
  }
}

const columnsOf = (file: string, table: string): string[] => {
  const database = openSqlite(file);
  const names = query(database, `PRAGMA table_info(${table})`).map(({ name }) => String(name));
  database.close();
  return names;
};

/** Runs an outbox over a damaged file. Returns its effect on the reports, and the errors. */
async function drained(file: string, open: (file: string) => SqliteDatabase) {
  const store = await sqliteStore({ file, open });
  const { outbox, events, run } = outboxWorld({ store });
  await run(outbox.drain({ timeoutMs: 120_000 }));
  await outbox.stats();
  const rows = await store.list({ limit: 1_000 });
  for (const { id } of rows) await outbox.get(id);
  const isRecorded = (reference: string, operation: string) =>
    rows.some((row) => row.operation === operation && row.reference === reference && row.state === 'recorded');
  const trouble = [
    ...SOUND.filter((reference) => !isRecorded(reference, 'reportBetEvent')),
    ...(isRecorded('B-1', 'reportSettledBet') ? [] : ['the settlement of B-1']),
    ...events.filter(([type]) => type === 'error').map(([, event]) => String('cause' in event ? event.cause : event)),
  ];
  await store.close?.();
  return { rows, trouble };
}

const SOUND_DATA =
  /^Error: The last line of the log of receipts is damaged|^ConfigurationError: The reports in this store .* rebind|^StoreError: .* is damaged, .* sqlite3 /;

describe.each(Object.entries(LIBRARIES))('a wrong value in a column, over %s', (_, open) => {
  it('of a report stops no other report and is shown as damaged', { timeout: 120_000 }, async () => {
    for (const column of sampleOf(
      'damaged columns of a report in SQLite',
      columnsOf(await waitingFile(open), 'outbox_rows'),
    )) {
      const file = await waitingFile(open, WRONG.length);
      const update = (value: string, index: number) =>
        `UPDATE outbox_rows SET ${column} = ${value} WHERE id = 'default:staging:reportBetEvent:${bad(index)}'`;
      // The number of a row is its place in the file.
      if (column !== 'sequence') for (const [index, value] of WRONG.entries()) damage(file, open, update(value, index));

      const { rows, trouble } = await drained(file, open);
      expect([column, trouble]).toEqual([column, []]);
      const rest = rows.filter(
        ({ state, problem }) => state !== 'recorded' && !(state === 'quarantined' && problem?.code === 'damaged'),
      );
      expect(rest.map(({ id, state, damage: found }) => [column, id, state, found])).toEqual([]);
      expect(rows.length).toBe(WRONG.length + 4);
    }
  });

  it.each(Object.entries(TABLES))(
    'of %s is refused by the database, or stops no report without an error',
    { timeout: 120_000 },
    async (table, where) => {
      const whole = await waitingFile(open);
      const found: Record<string, string[]> = {};
      for (const column of sampleOf(`damaged columns of ${table} in SQLite`, columnsOf(whole, table)))
        for (const value of WRONG) {
          const sql = `UPDATE ${table} SET ${column} = ${value} WHERE ${where}`;
          const file = copyOf(whole);
          if (!damage(file, open, sql)) continue;
          const trouble = await drained(file, open).then(
            (result) => result.trouble,
            (error: unknown) => [String(error)],
          );
          if (trouble.some((one) => !SOUND_DATA.test(one))) found[sql] = trouble;
        }
      expect(found).toEqual({});
    },
  );
});
