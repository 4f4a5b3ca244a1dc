import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { pragma, type SqliteDatabase } from '../../../../src/outbox/stores/sqlite/database.js';
import { newRow, settledRow } from '../../contract/harness.js';
import { personalBet } from '../../personal.js';
import { outboxWorld } from '../../world.js';
import { newFile, openSqlite, openStore, query, rejectionOf } from './files.js';

async function connected() {
  const file = newFile();
  const database = openSqlite(file);
  return { file, database, store: await sqliteStore({ database, busyTimeoutMs: 300 }) };
}

const held = async (store: { list(query: { limit: number }): Promise<readonly { reference: string }[]> }) =>
  (await store.list({ limit: 100 })).map(({ reference }) => reference);

/** Counts the commits of a connection. */
function counting(database: SqliteDatabase): { database: SqliteDatabase; commits: () => number } {
  let commits = 0;
  const counted: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql) as { run(): unknown };
      if (sql !== 'COMMIT') return statement;
      return {
        run: () => {
          commits += 1;
          return statement.run();
        },
      };
    },
    close: () => database.close(),
  };
  for (const name of ['isTransaction', 'inTransaction'] as const)
    Object.defineProperty(counted, name, { get: () => (database as { [Name in typeof name]?: unknown })[name] });
  return { commits: () => commits, database: counted };
}

describe('a connection that the store is given', () => {
  it('waits for the disk at each commit, even after another tool has changed that', async () => {
    const file = newFile();
    const database = openSqlite(file);
    database.exec('PRAGMA synchronous = OFF');
    const store = await sqliteStore({ database });
    expect([pragma(database, 'journal_mode'), pragma(database, 'synchronous')]).toEqual(['wal', 2]);
    database.exec('PRAGMA synchronous = NORMAL');
    await store.enqueue([newRow('B-1')]);
    expect(pragma(database, 'synchronous')).toBe(2);
    database.close();
  });

  it('is refused if it cannot be configured', async () => {
    const database = openSqlite(newFile());
    database.exec('PRAGMA synchronous = OFF; BEGIN');
    expect(await rejectionOf(sqliteStore({ database, busyTimeoutMs: 0 }))).toMatchObject({ name: 'StoreError' });
    database.exec('ROLLBACK');
    const deaf = counting(openSqlite(newFile())).database;
    const still: SqliteDatabase = {
      ...deaf,
      exec: (sql) => (sql.includes('synchronous') ? undefined : deaf.exec(sql)),
    };
    deaf.exec('PRAGMA synchronous = OFF');
    expect(await rejectionOf(sqliteStore({ database: still }))).toMatchObject({
      code: 'unsafe',
      message: expect.stringContaining('synchronous'),
    });
  });

  it.each([0, 1])('keeps its own secure_delete (%i) and the size of its own log', async (given) => {
    const database = openSqlite(newFile());
    database.exec(`PRAGMA secure_delete = ${given}; PRAGMA journal_size_limit = 12345`);
    await sqliteStore({ database });
    expect([pragma(database, 'secure_delete'), pragma(database, 'journal_size_limit')]).toEqual([given, 12_345]);
    database.close();
  });

  it('stays open, and its own tables stay', async () => {
    const { database, store } = await connected();
    database.exec('CREATE TABLE bets (id TEXT)');
    await store.close?.();
    expect(query(database, 'SELECT count(*) AS bets FROM bets')[0]).toMatchObject({ bets: 0 });
    database.close();
  });
});

describe("a user's transaction", () => {
  it('commits a report', async () => {
    const { database, store } = await connected();
    database.exec('BEGIN IMMEDIATE');
    expect(await store.enqueue([newRow('B-1')], database)).toMatchObject([{ added: true, row: { state: 'waiting' } }]);
    database.exec('COMMIT');
    expect([await held(store), (await store.counts()).states.waiting]).toEqual([['B-1'], 1]);
  });

  it.each(['its own connection', 'another connection'])(
    'commits the first report of an outbox, and of each later process, over %s',
    async (which) => {
      const file = newFile();
      for (const bet_id of ['B-1', 'B-2']) {
        const database = openSqlite(file);
        const store = which === 'its own connection' ? await sqliteStore({ database }) : await openStore(file);
        database.exec('PRAGMA synchronous = FULL');
        const { outbox } = outboxWorld({ store });
        database.exec('BEGIN IMMEDIATE');
        await outbox.within(database).reportBetEvent(personalBet(bet_id));
        database.exec('COMMIT');
        expect(await held(store)).toContain(bet_id);
        await store.close?.();
        database.close();
      }
    },
  );

  it('removes a report when it is rolled back', async () => {
    const { database, store } = await connected();
    database.exec('BEGIN IMMEDIATE');
    await store.enqueue([newRow('B-1')], database);
    database.exec('ROLLBACK');
    expect([await held(store), (await store.counts()).states.waiting]).toEqual([[], 0]);
  });

  it("may be on another connection to the store's file", async () => {
    const file = newFile();
    const store = await openStore(file);
    const database = openSqlite(file);
    database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    await store.enqueue([newRow('B-1')], database);
    expect(await held(store)).toEqual([]);
    database.exec('COMMIT');
    expect(await held(store)).toEqual(['B-1']);
    database.close();
    await store.close?.();
  });

  it("delays the store's own writes, and does not mix with them", async () => {
    const { database, store } = await connected();
    database.exec('BEGIN IMMEDIATE');
    const own = store.enqueue([newRow('B-own')]);
    await store.enqueue([newRow('B-user')], database);
    await new Promise((resolve) => setTimeout(resolve, 20));
    database.exec('ROLLBACK');
    await own;
    expect(await held(store)).toEqual(['B-own']);
  });

  it('on another connection whose commits do not wait for the disk is refused with advice', async () => {
    const file = newFile();
    const store = await openStore(file);
    const database = openSqlite(file);
    database.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
    expect(await rejectionOf(store.enqueue([newRow('B-1')], database))).toMatchObject({
      code: 'unsafe',
      message: expect.stringContaining('set it before the transaction begins'),
    });
    database.exec('ROLLBACK');
    expect(await held(store)).toEqual([]);
    await store.close?.();
  });

  it.each([
    ['no connection', () => ({}), 'expected the connection'],
    ['a connection to another file', () => openSqlite(newFile()), 'another file'],
    ['a connection without a transaction', (database: SqliteDatabase) => database, 'has no open transaction'],
  ])('that is %s is refused', async (_, make, message) => {
    const { database, store } = await connected();
    expect(await rejectionOf(store.enqueue([newRow('B-1')], make(database)))).toMatchObject({
      message: expect.stringContaining(message),
    });
    expect(await held(store)).toEqual([]);
  });
});

describe('a report that is enqueued alone', () => {
  it('and does not wait for another one is committed by its statement, without a transaction around it', async () => {
    const file = newFile();
    const { database, commits } = counting(openSqlite(file));
    const store = await openStore(file, { open: () => database });
    // The first report of a destination also binds its gateway.
    await store.enqueue([newRow('B-0')]);
    const before = commits();
    await store.enqueue([newRow('B-1')]);
    expect(commits() - before).toBe(0);
    await store.enqueue([settledRow('B-1')]);
    expect(commits() - before).toBe(1);
    await store.close?.();
  });

  it('does not count as committed within another transaction on the connection', async () => {
    const shared = openSqlite(newFile());
    const store = await openStore(newFile(), { open: () => shared, busyTimeoutMs: 20 });
    shared.exec('BEGIN');
    expect(await rejectionOf(store.enqueue([newRow('B-1')]))).toMatchObject({ code: 'busy' });
    shared.exec('ROLLBACK');
    await store.enqueue([newRow('B-2')]);
    expect(await held(store)).toEqual(['B-2']);
    await store.close?.();
  });

  it('and waits for another one is written while that one cannot end', async () => {
    const file = newFile();
    const isHeld: boolean[] = [];
    const store = await openStore(file, {
      open: (name) => {
        const database = openSqlite(name);
        return {
          exec: (sql) => database.exec(sql),
          prepare: (sql) => {
            const statement = database.prepare(sql) as {
              run(...values: unknown[]): unknown;
              get(...values: unknown[]): unknown;
            };
            if (!sql.startsWith('SELECT state FROM')) return statement;
            return {
              get: (...values: unknown[]) => {
                const found = statement.get(...values);
                const other = openSqlite(file);
                try {
                  other.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
                  isHeld.push(false);
                } catch {
                  isHeld.push(true);
                }
                other.close();
                return found;
              },
            };
          },
          close: () => database.close(),
        };
      },
    });
    await store.enqueue([newRow('B-1')]);
    expect(await store.enqueue([settledRow('B-1')])).toMatchObject([{ added: true, row: { blocked: true } }]);
    expect(isHeld).toEqual([true]);
    await store.close?.();
  });
});

describe('concurrent calls', () => {
  it('share one commit', async () => {
    const { database, commits } = counting(openSqlite(newFile()));
    const store = await sqliteStore({ database });
    const before = commits();
    const enqueued = await Promise.all(Array.from({ length: 50 }, (_, index) => store.enqueue([newRow(`B-${index}`)])));
    expect(enqueued.flat().every(({ added }) => added)).toBe(true);
    expect(commits() - before).toBe(1);
    await store.enqueue(Array.from({ length: 5_000 }, (_, index) => newRow(`C-${index}`)));
    expect(commits() - before).toBe(2);
  });
});
