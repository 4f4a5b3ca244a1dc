import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../src/core/errors/errors.js';
import { StoreError } from '../../../../src/core/errors/store-error.js';
import { type SqliteDatabase, sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { pragma } from '../../../../src/outbox/stores/sqlite/database.js';
import { ACCOUNT, CLAIMANT, claim, LEASE_MS, newRow, write } from '../../contract/harness.js';
import { outboxWorld } from '../../world.js';
import { newFile, openSqlite, openStore, rejectionOf } from './files.js';

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const rows = (count: number, first = 0) => Array.from({ length: count }, (_, index) => newRow(`B-${first + index}`));

/** Opens a file, and returns its connection. */
function remembering() {
  const connections: SqliteDatabase[] = [];
  return {
    open(file: string): SqliteDatabase {
      const database = openSqlite(file);
      connections.push(database);
      return database;
    },
    opened: () => connections[0] as SqliteDatabase,
  };
}

/** A file after a store was closed. */
async function fileWith(count: number): Promise<string> {
  const file = newFile();
  const store = await openStore(file);
  await store.enqueue(rows(count));
  await store.close?.();
  return file;
}

describe('a file of the SQLite store', () => {
  it('can be read by its owner only, with the other files of SQLite', async () => {
    const file = newFile();
    const store = await openStore(file);
    await store.enqueue(rows(1));
    expect(['', '-wal', '-shm'].map((suffix) => (statSync(file + suffix).mode & 0o777).toString(8))).toEqual([
      '600',
      '600',
      '600',
    ]);
    await store.close?.();
  });

  it('is in WAL mode, and its commits wait for the disk', async () => {
    const file = newFile();
    const { open, opened } = remembering();
    const store = await openStore(file, { open });
    expect([pragma(opened(), 'journal_mode'), pragma(opened(), 'synchronous')]).toEqual(['wal', 2]);
    expect(store.durable).toBe(true);
    await store.close?.();
  });

  it('overwrites deleted bodies, and keeps at most 64 MB of its log after a checkpoint', async () => {
    const { open, opened } = remembering();
    const store = await openStore(newFile(), { open });
    expect([pragma(opened(), 'secure_delete'), pragma(opened(), 'journal_size_limit')]).toEqual([1, 64 * 1024 * 1024]);
    await store.close?.();
  });

  it('keeps no bytes of a deleted body once it is closed', async () => {
    const file = newFile();
    const store = await openStore(file);
    const bodies = [300, 3_000, 30_000].map((length) => `{"canary":"${'zurikel '.repeat(length / 8)}"}`);
    await store.enqueue(
      bodies.flatMap((body, size) => Array.from({ length: 20 }, (_, index) => newRow(`B-${size}-${index}`, { body }))),
    );
    for (const row of await claim(store, 100)) await write(store, row, { keepBody: false });
    expect((await store.counts()).states.recorded).toBe(60);
    await store.close?.();
    expect(readFileSync(file).includes('zurikel')).toBe(false);
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  it('is opened with the installed library', async () => {
    const store = await sqliteStore({ file: newFile() });
    await store.enqueue(rows(1));
    expect((await store.counts()).states.waiting).toBe(1);
    await store.close?.();
  });

  it.each([
    ['no database', (file: string) => writeFileSync(file, 'this is a text, and a long one')],
    ['cut off', (file: string) => truncateSync(file, 10)],
    [
      'damaged inside',
      (file: string) => {
        const bytes = readFileSync(file);
        bytes.fill(0x5a, 4096, bytes.length - 4096);
        writeFileSync(file, bytes);
      },
    ],
  ])('that is %s is refused, and unchanged', async (_, damage) => {
    const file = await fileWith(100);
    damage(file);
    const before = hashOf(file);
    const error = await rejectionOf(openStore(file));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) });
    expect(hashOf(file)).toBe(before);
  });

  it('of a newer version is refused, and unchanged', async () => {
    const file = await fileWith(1);
    const database = openSqlite(file);
    database.exec("UPDATE outbox_meta SET value = 99 WHERE name = 'version'");
    database.close();
    const before = hashOf(file);
    expect(await rejectionOf(openStore(file))).toMatchObject({ code: 'newer', message: expect.stringContaining('99') });
    expect(hashOf(file)).toBe(before);
  });

  it('of an older version is refused, and unchanged', async () => {
    const file = await fileWith(1);
    const database = openSqlite(file);
    database.exec("UPDATE outbox_meta SET value = 1 WHERE name = 'version'");
    database.close();
    const before = hashOf(file);
    expect(await rejectionOf(openStore(file))).toMatchObject({
      code: 'older',
      message: expect.stringContaining('its version is 1; this package supports 11'),
    });
    expect(hashOf(file)).toBe(before);
  });

  it('with a damaged problem still has its group', async () => {
    const file = await fileWith(1);
    const other = openSqlite(file);
    other.exec(`UPDATE outbox_rows SET state = 'quarantined', problem = '{"code": 5'`);
    other.close();
    const store = await openStore(file);
    expect(await store.operator?.problemGroups()).toMatchObject([{ code: 'unknown', words: '', count: 1 }]);
    await store.close?.();
  });

  it('in a missing folder is refused, and the folder is not made', async () => {
    const file = join(newFile(), 'outbox.db');
    expect(await rejectionOf(openStore(file))).toMatchObject({ code: 'unavailable' });
    expect(existsSync(file)).toBe(false);
  });

  it('in memory is not durable', async () => {
    const store = await openStore(':memory:');
    expect(store.durable).toBe(false);
    await store.enqueue(rows(1));
    expect((await store.counts()).states.waiting).toBe(1);
  });

  it('is closed after the pending calls, and refuses later ones', async () => {
    const file = newFile();
    const store = await openStore(file);
    const enqueued = store.enqueue(rows(1));
    await store.close?.();
    expect(await enqueued).toMatchObject([{ added: true }]);
    expect(await rejectionOf(store.enqueue(rows(1, 1)))).toMatchObject({ code: 'closed' });
    expect(await rejectionOf(store.counts())).toMatchObject({ code: 'closed' });
  });

  it('fails an outbox with its own error, if it is closed before', async () => {
    const store = await openStore(newFile());
    await store.close?.();
    const { outbox, run } = outboxWorld({ store });
    const causes: unknown[] = [];
    outbox.on('error', ({ cause }) => causes.push(cause));
    expect(await rejectionOf(run(outbox.drain({ timeoutMs: 500 })))).toMatchObject({ code: 'closed' });
    outbox.start();
    await run(expect.poll(() => causes).toContainEqual(expect.objectContaining({ code: 'closed' })));
    await run(outbox.stop());
  });

  it('can be closed twice', async () => {
    const store = await sqliteStore({ file: newFile() });
    await store.close?.();
    await expect(store.close?.()).resolves.toBeUndefined();
  });

  it.each([
    [{}, 'pass either file or database'],
    [undefined as never, 'pass either file or database'],
    [null as never, 'pass either file or database'],
    [{ file: '' }, 'file: expected a path'],
    [{ database: { exec: 1 } as never }, 'database: expected a connection'],
    [{ file: 'x', busyTimeoutMs: -1 }, 'busyTimeoutMs: expected a number of milliseconds from 0'],
    [{ file: 'x', open: 'node:sqlite' as never }, 'open: expected a function'],
  ])('needs correct options: %j', async (options, message) => {
    const error = await rejectionOf(sqliteStore(options));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  });
});

describe('a full disk', () => {
  it('rejects a report that does not fit, and keeps nothing of it', async () => {
    const file = newFile();
    const { open, opened } = remembering();
    const store = await openStore(file, { open });
    const database = opened();
    await store.enqueue(rows(10));
    const pages = Number(pragma(database, 'page_count'));
    // At this size SQLite answers as on a full disk.
    database.exec(`PRAGMA max_page_count = ${pages + 4}`);
    const [large, small] = await Promise.allSettled([
      store.enqueue([newRow('small-1'), newRow('large', { body: 'x'.repeat(200_000) })]),
      store.enqueue([newRow('small-2')]),
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'full' } });
    expect(small).toMatchObject({ status: 'fulfilled' });
    expect((await store.list({ limit: 100 })).map(({ reference }) => reference)).toEqual([
      ...rows(10).map(({ reference }) => reference),
      'small-2',
    ]);
    expect((await store.counts()).states.waiting).toBe(11);
    database.exec('PRAGMA max_page_count = 100000');
    await store.enqueue([newRow('large', { body: 'x'.repeat(200_000) })]);
    await store.close?.();
  });

  it('has its own code for a setting and a pause, too', async () => {
    const { open, opened } = remembering();
    const store = await openStore(newFile(), { open });
    await store.enqueue(rows(1));
    await store.bind([{ account: 'default', environment: 'production', gateway: 'https://gateway.example.com' }]);
    const database = opened();
    database.exec(`PRAGMA max_page_count = ${Number(pragma(database, 'page_count'))}`);
    await expect(store.getOrCreateSetting('large', 'x'.repeat(200_000))).rejects.toMatchObject({ code: 'full' });
    const pause = {
      account: 'default',
      environment: 'production',
      version: 0,
      strikes: 0,
      forMs: 1,
      continues: false,
      repeats: false,
    } as const;
    await expect(store.pause({ ...pause, reason: 'unavailable', message: 'x'.repeat(200_000) })).rejects.toMatchObject({
      code: 'full',
    });
    await store.close?.();
  });

  it('a failed commit has a message without data of the report', async () => {
    const file = newFile();
    const store = await openStore(file, { busyTimeoutMs: 20 });
    const holder = openSqlite(file);
    holder.exec('BEGIN IMMEDIATE');
    const error = await rejectionOf(
      store.enqueue([newRow('B-canary', { body: 'canary-body', fingerprint: 'canary-print' })]),
    );
    expect(error).toMatchObject({ code: 'busy' });
    expect(JSON.stringify([error.message, String(error.cause), error])).not.toContain('canary');
    holder.exec('ROLLBACK');
    holder.close();
    await store.close?.();
  });
});

describe('a commit of another process', () => {
  it('is noticed', async () => {
    const file = newFile();
    const [store, other] = [await openStore(file), await openStore(file)];
    const noticed = new Promise<void>((resolve) => {
      const stop = store.watch?.(() => {
        stop?.();
        resolve();
      });
    });
    await other.enqueue(rows(1));
    await noticed;
    await Promise.all([store.close?.(), other.close?.()]);
  });

  it('does not happen if a turn finds due reports and claims none, as while a circuit breaker is open', async () => {
    const file = newFile();
    const store = await openStore(file);
    const [row] = await store.enqueue(rows(1));
    const observer = openSqlite(file);
    const before = pragma(observer, 'data_version');
    const without = [{ account: ACCOUNT, environment: 'staging', operation: 'reportBetEvent' }] as const;
    const { claimed } = await store.turn({
      writes: [],
      claim: { accounts: [CLAIMANT], limit: 10, leaseMs: LEASE_MS, without },
    });
    expect([row?.row.state, claimed]).toEqual(['waiting', []]);
    expect(pragma(observer, 'data_version')).toBe(before);
    expect(await claim(store)).toHaveLength(1);
    expect(pragma(observer, 'data_version')).not.toBe(before);
    observer.close();
    await store.close?.();
  });
});

describe('a SQLite that may lose commits of several connections', () => {
  const withVersion =
    (version: string) =>
    (file: string): SqliteDatabase => {
      const database = openSqlite(file);
      return {
        exec: (sql) => database.exec(sql),
        prepare: (sql) => database.prepare(sql.replaceAll('sqlite_version()', `'${version}'`)),
        close: () => database.close(),
      };
    };

  it.each(['3.44.5', '3.45.1', '3.49.2', '3.50.6', '3.51.2'])(
    '%s is refused, and the advice names a newer one',
    async (version) => {
      const file = newFile();
      expect(await rejectionOf(openStore(file, { open: withVersion(version) }))).toMatchObject({
        code: 'unsafe',
        message: expect.stringMatching(
          new RegExp(`SQLite ${version} may lose some.*npm install @photostructure/sqlite`),
        ),
      });
      expect(await rejectionOf(sqliteStore({ database: withVersion(version)(file) }))).toMatchObject({
        code: 'unsafe',
      });
    },
  );

  it('is refused in a transaction on another connection too', async () => {
    const file = newFile();
    const store = await openStore(file);
    const database = withVersion('3.45.1')(file);
    database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    expect(await rejectionOf(store.enqueue([newRow('B-1')], database))).toMatchObject({ code: 'unsafe' });
    database.close();
    await store.close?.();
  });

  it.each(['3.44.6', '3.50.7', '3.51.3', '3.53.0', '4.0.0'])('%s is used', async (version) => {
    const store = await openStore(newFile(), { open: withVersion(version) });
    expect(await store.enqueue([newRow('B-1')])).toMatchObject([{ added: true }]);
    await store.close?.();
  });
});
