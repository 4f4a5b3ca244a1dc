import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { claim, newRow } from '../../../../src/outbox/contract/harness.js';
import { newFile, openLibsql, openStore, rejectionOf } from './files.js';

/** The path of a file in a folder of its own. */
function ownFolder(): string {
  const folder = `${newFile()}.d`;
  mkdirSync(folder);
  return join(folder, 'outbox.db');
}

/** A copy takes the place of a file, as a restored backup does. Another process copies, since this one has the file open. */
function replace(file: string): void {
  execFileSync('cp', [file, `${file}.new`]);
  renameSync(`${file}.new`, file);
}

const DAMAGES: readonly (readonly [string, (file: string) => void])[] = [
  ['was deleted', (file) => rmSync(file)],
  ['was deleted with all that stands beside it', (file) => rmSync(dirname(file), { recursive: true })],
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
  ['lost its -shm file, by which processes know of each other', (file) => rmSync(`${file}-shm`)],
];

const KINDS: readonly (readonly [string, (file: string) => Promise<Awaited<ReturnType<typeof sqliteStore>>>])[] = [
  ['a store', (file) => openStore(file)],
  ['a store over a connection that it is given', (file) => sqliteStore({ database: openLibsql(file) })],
];

describe.each(KINDS)('%s', (_, open) => {
  it.each(DAMAGES)('accepts and claims nothing once its file %s', async (__, damage) => {
    const file = ownFolder();
    const store = await open(file);
    await store.enqueue([newRow('B-1')]);
    damage(file);
    for (let index = 2; index < 5; index += 1) {
      const error = await rejectionOf(store.enqueue([newRow(`B-${index}`)]));
      expect(error).toMatchObject({ name: 'SqliteStoreError', code: 'replaced', message: expect.stringMatching(/deleted or replaced.*Nothing was/) });
    }
    expect(await rejectionOf(claim(store))).toMatchObject({ code: 'replaced' });
    expect(await rejectionOf(store.counts())).toMatchObject({ code: 'replaced' });
    await store.close?.();
  });
});

describe('a file that was moved away', () => {
  it('is good again once it is back', async () => {
    const file = ownFolder();
    const store = await openStore(file);
    await store.enqueue([newRow('B-1')]);
    renameSync(dirname(file), `${dirname(file)}.away`);
    expect(await rejectionOf(store.enqueue([newRow('B-2')]))).toMatchObject({ code: 'replaced' });
    renameSync(`${dirname(file)}.away`, dirname(file));
    await store.enqueue([newRow('B-3')]);
    expect((await store.list({ limit: 10 })).map(({ reference }) => reference)).toEqual(expect.arrayContaining(['B-1', 'B-3']));
    await store.close?.();
  });
});

describe("a user's transaction", () => {
  it('takes no report once the file was replaced', async () => {
    const file = ownFolder();
    const database = openLibsql(file);
    const store = await sqliteStore({ database });
    await store.enqueue([newRow('B-1')]);
    database.exec('BEGIN IMMEDIATE');
    replace(file);
    expect(await rejectionOf(store.enqueue([newRow('B-2')], database))).toMatchObject({ code: 'replaced' });
    database.exec('ROLLBACK');
    database.close();
  });
});
