import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/core/platform/time.js';
import type { OutboxStore } from '../../../../src/entries/outbox.js';
import { sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { pragma } from '../../../../src/outbox/stores/sqlite/database.js';
import { claim, newRow } from '../../contract/harness.js';
import { DAY_MS, recordMany } from '../../prune/old-reports.js';
import { newFile, openSqlite, openStore, rejectionOf } from './files.js';

/** The path of a file in its own folder. */
function ownFolder(): string {
  const folder = `${newFile()}.d`;
  mkdirSync(folder);
  return join(folder, 'outbox.db');
}

/** Replaces a file by a copy, like a restored backup. Another process copies, since this one has the file open. */
function replace(file: string): void {
  execFileSync('cp', [file, `${file}.new`]);
  renameSync(`${file}.new`, file);
}

const DAMAGES: readonly (readonly [string, (file: string) => void])[] = [
  ['was deleted', (file) => rmSync(file)],
  ['was deleted with its folder', (file) => rmSync(dirname(file), { recursive: true })],
  ['was replaced by a copy', replace],
  [
    'is an empty one now',
    (file) => {
      rmSync(file);
      writeFileSync(file, '');
    },
  ],
  ['was moved with its folder', (file) => renameSync(dirname(file), `${dirname(file)}.away`)],
  ['lost its -wal file', (file) => rmSync(`${file}-wal`)],
  ['has another -wal file', (file) => replace(`${file}-wal`)],
  ['lost its -shm file, which processes share', (file) => rmSync(`${file}-shm`)],
];

const KINDS: readonly (readonly [string, (file: string) => Promise<Awaited<ReturnType<typeof sqliteStore>>>])[] = [
  ['a store', (file) => openStore(file)],
  ['a store over a connection that it is given', (file) => sqliteStore({ database: openSqlite(file) })],
];

describe.each(KINDS)('%s', (_, open) => {
  it.each(DAMAGES)('accepts and claims nothing once its file %s', async (__, damage) => {
    const file = ownFolder();
    const store = await open(file);
    await store.enqueue([newRow('B-1')]);
    damage(file);
    for (let index = 2; index < 5; index += 1) {
      const error = await rejectionOf(store.enqueue([newRow(`B-${index}`)]));
      expect(error).toMatchObject({
        name: 'StoreError',
        code: 'replaced',
        message: expect.stringMatching(/deleted or replaced.*has accepted and sent nothing/),
      });
    }
    expect(await rejectionOf(claim(store))).toMatchObject({ code: 'replaced' });
    expect(await rejectionOf(store.counts())).toMatchObject({ code: 'replaced' });
    await store.close?.();
  });
});

describe('a file whose folder was left alone for a while', () => {
  it.each(KINDS)('is looked at again after a change of the folder: %s', { tags: 'slow' }, async (_, open) => {
    await Promise.all(
      DAMAGES.map(async ([name, damage]) => {
        const file = ownFolder();
        const store = await open(file);
        await store.enqueue([newRow('B-1')]);
        await sleep(2_600);
        await store.enqueue([newRow('B-2')]);
        await store.enqueue([newRow('B-3')]);
        damage(file);
        expect([name, await rejectionOf(store.enqueue([newRow('B-4')]))]).toMatchObject([name, { code: 'replaced' }]);
        await store.close?.();
      }),
    );
  });
});

/** As a backup is restored by tools that also restore the times of folders. */
function restoreWithTimes(file: string): void {
  const folder = dirname(file);
  execFileSync('cp', ['-a', folder, `${folder}.backup`]);
  execFileSync('cp', ['-a', '--remove-destination', `${folder}.backup/.`, `${folder}/`]);
}

it('a file that was restored together with the times of its folder accepts nothing', { tags: 'slow' }, async () => {
  const file = ownFolder();
  const store = await openStore(file);
  await store.enqueue([newRow('B-1')]);
  await sleep(2_600);
  await store.enqueue([newRow('B-2')]);
  const before = statSync(dirname(file)).mtimeMs;
  restoreWithTimes(file);
  expect(statSync(dirname(file)).mtimeMs).toBe(before);
  expect(await rejectionOf(store.enqueue([newRow('B-3')]))).toMatchObject({ code: 'replaced' });
  await store.close?.();
});

describe('a file that was moved to another place', () => {
  it('works again once it is back', async () => {
    const file = ownFolder();
    const store = await openStore(file);
    await store.enqueue([newRow('B-1')]);
    renameSync(dirname(file), `${dirname(file)}.away`);
    expect(await rejectionOf(store.enqueue([newRow('B-2')]))).toMatchObject({ code: 'replaced' });
    renameSync(`${dirname(file)}.away`, dirname(file));
    await store.enqueue([newRow('B-3')]);
    expect((await store.list({ limit: 10 })).map(({ reference }) => reference)).toEqual(
      expect.arrayContaining(['B-1', 'B-3']),
    );
    await store.close?.();
  });
});

describe("a user's transaction", () => {
  it('takes no report after the file was replaced', async () => {
    const file = ownFolder();
    const database = openSqlite(file);
    const store = await sqliteStore({ database });
    await store.enqueue([newRow('B-1')]);
    database.exec('BEGIN IMMEDIATE');
    replace(file);
    expect(await rejectionOf(store.enqueue([newRow('B-2')], database))).toMatchObject({ code: 'replaced' });
    database.exec('ROLLBACK');
    database.close();
  });
});

/** Moves all committed data into the file itself, as any tool that opens the database may do. */
function checkpoint(file: string): void {
  const database = openSqlite(file);
  pragma(database, 'wal_checkpoint(TRUNCATE)');
  database.close();
}

const longAgo = { ...systemClock, now: () => Date.now() - 500 * DAY_MS };

/** Copies a backup over the file, which keeps its identity. Another process copies. */
const restore = (backup: string, file: string) => execFileSync('cp', [backup, file]);

const BEFORE_RESTORE: readonly (readonly [string, (store: OutboxStore) => Promise<unknown>])[] = [
  [
    'reports were enqueued',
    (store) => store.enqueue(Array.from({ length: 300 }, (_, index) => newRow(`late-${index}`))),
  ],
  ['a worker claimed reports', (store) => claim(store, 2)],
];

describe.each(KINDS)('%s whose file a backup is copied over', (_, open) => {
  it.each(BEFORE_RESTORE)('accepts and claims nothing any more if, since the backup, %s', async (__, since) => {
    const file = ownFolder();
    const store = await open(file);
    await store.enqueue(Array.from({ length: 300 }, (_row, index) => newRow(`early-${index}`)));
    checkpoint(file);
    execFileSync('cp', [file, `${file}.backup`]);
    await since(store);
    checkpoint(file);
    restore(`${file}.backup`, file);
    for (let index = 0; index < 3; index += 1) {
      const error = await rejectionOf(store.enqueue([newRow(`B-${index}`)]));
      expect(error).toMatchObject({
        name: 'StoreError',
        code: 'restored',
        message: expect.stringMatching(/backup.*has accepted and sent nothing.*End every process/),
      });
    }
    expect(await rejectionOf(claim(store))).toMatchObject({ code: 'restored' });
    await store.close?.();

    // The backup is unchanged: it works when it is opened again.
    restore(`${file}.backup`, file);
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  });

  it('accepts nothing any more if all reports were pruned before the backup, and others were enqueued since', async () => {
    const file = ownFolder();
    await recordMany(await openStore(file, { clock: longAgo }), 'OLD', 300);
    const store = await open(file);
    expect(
      await store.prune?.({ account: 'default', olderThanMs: 400 * DAY_MS, after: 0, limit: 1_000 }),
    ).toMatchObject({ pruned: 300 });
    checkpoint(file);
    execFileSync('cp', [file, `${file}.backup`]);
    await store.enqueue(Array.from({ length: 300 }, (_row, index) => newRow(`late-${index}`)));
    checkpoint(file);
    restore(`${file}.backup`, file);
    expect(await rejectionOf(store.enqueue([newRow('B-1')]))).toMatchObject({ code: 'restored' });
    await store.close?.();
  });

  it('continues if another process prunes every report', async () => {
    const file = ownFolder();
    const other = await openStore(file, { clock: longAgo });
    await recordMany(other, 'OLD', 3);
    const store = await open(file);
    const pruning = await openStore(file);
    expect(
      await pruning.prune?.({ account: 'default', olderThanMs: 400 * DAY_MS, after: 0, limit: 1_000 }),
    ).toMatchObject({ pruned: 3 });
    checkpoint(file);
    for (const one of [store, other]) {
      const [added] = await one.enqueue([newRow(one === store ? 'B-1' : 'B-2')]);
      expect(added?.row.sequence).toBe(one === store ? 4 : 5);
      checkpoint(file);
    }
    for (const one of [store, other, pruning]) await one.close?.();
  });

  it('continues if another process enqueues, claims and runs checkpoints', async () => {
    const file = ownFolder();
    const store = await open(file);
    const other = await openStore(file);
    for (let index = 0; index < 20; index += 1) {
      await other.enqueue([newRow(`A-${index}`)]);
      await claim(other, 1);
      if (index % 3 === 0) checkpoint(file);
      await store.enqueue([newRow(`B-${index}`)]);
      await claim(store, 1);
    }
    expect((await store.list({ limit: 100 })).length).toBe(40);
    await other.close?.();
    await store.close?.();
  });
});

describe("a user's transaction over a file that a backup is copied over", () => {
  it('takes no report', async () => {
    const file = ownFolder();
    const database = openSqlite(file);
    const store = await sqliteStore({ database });
    await store.enqueue(Array.from({ length: 300 }, (_, index) => newRow(`early-${index}`)));
    checkpoint(file);
    execFileSync('cp', [file, `${file}.backup`]);
    await store.enqueue(Array.from({ length: 300 }, (_, index) => newRow(`late-${index}`)));
    checkpoint(file);
    restore(`${file}.backup`, file);
    database.exec('BEGIN IMMEDIATE');
    expect(await rejectionOf(store.enqueue([newRow('B-2')], database))).toMatchObject({ code: 'restored' });
    database.exec('ROLLBACK');
    database.close();
  });

  it('that was rolled back does not look like a backup', async () => {
    const file = ownFolder();
    const database = openSqlite(file);
    const store = await sqliteStore({ database });
    database.exec('BEGIN IMMEDIATE');
    await store.enqueue(
      Array.from({ length: 30 }, (_, index) => newRow(`gone-${index}`)),
      database,
    );
    database.exec('ROLLBACK');
    checkpoint(file);
    await store.enqueue([newRow('B-1')]);
    checkpoint(file);
    await store.enqueue([newRow('B-2')]);
    database.close();
  });
});
