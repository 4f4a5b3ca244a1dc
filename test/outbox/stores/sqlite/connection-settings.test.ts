import { describe, expect, it } from 'vitest';
import { type SqliteDatabase, sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { storeContract } from '../../contract/contract.js';
import { newRow } from '../../contract/harness.js';
import { personalBet, personalSettlement } from '../../personal.js';
import { outboxWorld } from '../../world.js';
import { copyOf, damageIn, newFile, openSqlite, openStore, rejectionOf } from './files.js';

/** A connection whose rows are arrays and whose numbers are bigint, where the library has these settings. */
function openWithBigInts(file: string): SqliteDatabase {
  const database = openSqlite(file, { readBigInts: true, returnArrays: true });
  (database as { defaultSafeIntegers?(enabled: boolean): void }).defaultSafeIntegers?.(true);
  return database;
}

/** The settings of a connection that may change what a statement does. A new file keeps its encoding. */
const PRAGMAS = [
  "encoding = 'UTF-16'",
  'journal_mode = DELETE',
  'auto_vacuum = FULL',
  'foreign_keys = ON',
  'case_sensitive_like = ON',
  'recursive_triggers = ON',
  'busy_timeout = 0',
  'reverse_unordered_selects = ON',
  'automatic_index = OFF',
  'cell_size_check = ON',
  'trusted_schema = OFF',
  'ignore_check_constraints = ON',
  'temp_store = MEMORY',
  'mmap_size = 1000000',
  'cache_size = 1',
];

function openAsUsersDo(file: string): SqliteDatabase {
  const database = openWithBigInts(file);
  for (const pragma of PRAGMAS) database.exec(`PRAGMA ${pragma}`);
  (database as { enableDefensive?(active: boolean): void }).enableDefensive?.(true);
  return database;
}

describe('a connection with settings of its user', () => {
  it.each(storeContract.map(({ name, run }) => [name, run] as const))('%s', { tags: 'slow' }, (_, run) =>
    run(async () => {
      const file = newFile();
      const { withRealTimers: clock, advance } = new FakeClock();
      const database = openAsUsersDo(file);
      return {
        store: await sqliteStore({ database, clock }),
        advance,
        another: () => openStore(file, { clock }),
        reopen: () => openStore(copyOf(file), { clock }),
        damage: damageIn(file, openSqlite),
        close: () => void database.close(),
      };
    }),
  );

  it.each([
    ['bigints and arrays', openWithBigInts],
    ['unusual pragmas', openAsUsersDo],
  ])('such as %s: a bet and its settlement are recorded', async (_, open) => {
    const database = open(newFile());
    const { outbox, run } = outboxWorld({ store: await sqliteStore({ database }) });
    database.exec('BEGIN IMMEDIATE');
    await outbox.within(database).reportBetEvent(personalBet('B-1'));
    database.exec('COMMIT');
    await outbox.reportSettledBet(personalSettlement('B-1'));
    await run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: 2, quarantined: 0, waiting: 0 });
    database.close();
  });

  it('is taken for a transaction, too', async () => {
    const file = newFile();
    const store = await openStore(file);
    const database = openWithBigInts(file);
    database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    const [enqueued] = await store.enqueue([newRow('B-1')], database);
    database.exec('COMMIT');
    expect(enqueued).toMatchObject({ added: true, row: { sequence: 1 } });
    database.close();
    await store.close?.();
  });
});

/** A connection whose statements return what `change` makes of a result. */
function wrapped(change: (result: unknown) => unknown): SqliteDatabase {
  const database = openSqlite(newFile());
  const prepare = (sql: string) => {
    const statement = database.prepare(sql) as Record<'run' | 'get' | 'all', (...values: unknown[]) => unknown>;
    return {
      run: (...values: unknown[]) => change(statement.run(...values)),
      get: (...values: unknown[]) => change(statement.get(...values)),
      all: (...values: unknown[]) => change(statement.all(...values)),
    };
  };
  return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() };
}

const isRow = (value: unknown): value is object => typeof value === 'object' && value !== null && 'whole' in value;

describe('a wrapper that does not answer as the libraries do', () => {
  it.each<[string, () => SqliteDatabase]>([
    ['a Promise', () => wrapped((result) => Promise.resolve(result))],
    ['arrays for rows', () => wrapped((result) => (isRow(result) ? Object.values(result) : result))],
    ['bigint', () => wrapped((result) => (isRow(result) ? { ...result, whole: 1n } : result))],
    ['nothing for a change', () => wrapped((result) => (isRow(result) ? result : undefined))],
    ['no statement', () => ({ ...wrapped(String), prepare: () => ({}) })],
    ['an opened file that comes later', () => Promise.resolve(openSqlite(newFile())) as unknown as SqliteDatabase],
  ])('%s: is refused before anything is stored', async (_, make) => {
    const database = make();
    const said = { name: 'ConfigurationError', message: expect.stringContaining('Nothing was stored') };
    expect(await rejectionOf(sqliteStore({ file: newFile(), open: () => database }))).toMatchObject(said);
    if (!(database instanceof Promise)) expect(await rejectionOf(sqliteStore({ database }))).toMatchObject(said);
  });
});
