import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StoreError, type StoreErrorCode } from '../../../../src/core/errors/store-error.js';
import { isReportingError } from '../../../../src/entries/index.js';
import { sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { asSqliteError } from '../../../../src/outbox/stores/sqlite/failure.js';
import { newRow } from '../../contract/harness.js';
import { copyOf, newFile, openSqlite, openStore, rejectionOf } from './files.js';

const BETTER_SQLITE = (code: string) => Object.assign(new Error('an error of better-sqlite3'), { code });
/** An error of @photostructure/sqlite while it reads several rows. */
const WORDS = (message: string) => Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' });
const NODE = (errcode: number) =>
  Object.assign(new Error('an error of node:sqlite'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('an error of a library', () => {
  it.each<[StoreErrorCode, string, Error]>([
    ['busy', 'is locked by others for too long', NODE(5)],
    ['busy', 'is locked by others for too long', NODE(6)],
    ['busy', 'is locked by others for too long', new Error('cannot start a transaction within a transaction')],
    ['full', 'the disk is full', BETTER_SQLITE('SQLITE_FULL')],
    ['full', 'the disk is full', WORDS('database or disk is full')],
    // SQLITE_IOERR_SHMSIZE
    ['full', 'the disk is full', BETTER_SQLITE('SQLITE_IOERR_SHMSIZE')],
    ['full', 'the disk is full', NODE(4874)],
    ['full', 'the disk is full', Object.assign(NODE(10), { sqliteExtendedCode: 4874 })],
    ['corrupt', 'is damaged', WORDS('CHECK constraint failed: fence')],
    ['io', 'the disk failed, or the file is gone', BETTER_SQLITE('SQLITE_IOERR_WRITE')],
    // SQLITE_IOERR_SHORT_READ
    ['io', 'the disk failed, or the file is gone', NODE(522)],
    ['corrupt', 'is damaged, or is not a SQLite database', NODE(11)],
    ['corrupt', 'is damaged, or is not a SQLite database', BETTER_SQLITE('SQLITE_NOTADB')],
    ['read-only', 'look at the permissions of the file and of its folder', NODE(3)],
    ['read-only', 'look at the permissions of the file and of its folder', NODE(8)],
    // SQLITE_READONLY_DIRECTORY
    ['read-only', 'look at the permissions of the file and of its folder', NODE(1544)],
    ['unavailable', 'check that the folder exists', NODE(14)],
    ['corrupt', 'sqlite3 /var/lib/bets/outbox.db.saved', BETTER_SQLITE('SQLITE_CONSTRAINT')],
    [
      'corrupt',
      'save what can be read',
      Object.assign(new Error('no such index: outbox_due'), { code: 'SQLITE_ERROR' }),
    ],
    // The condition of an index is damaged.
    ['corrupt', 'save what can be read', Object.assign(new Error('no query solution'), { code: 'SQLITE_ERROR' })],
    ['other', 'failed', new Error('no code')],
  ])('has the code %s: %s', (code, message, cause) => {
    const error = asSqliteError('/var/lib/bets/outbox.db', cause);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ name: 'StoreError', code, message: expect.stringContaining(message), cause });
    expect(error.message).toContain('/var/lib/bets/outbox.db');
  });

  it('is an error of the store, without an outcome', async () => {
    const database = openSqlite(newFile());
    const store = await sqliteStore({ database });
    database.exec('PRAGMA query_only = ON');
    const error = await rejectionOf(store.enqueue([newRow('B-1')]));
    expect(error).toMatchObject({
      name: 'StoreError',
      code: 'read-only',
      message: expect.stringContaining('the connection is read-only; look at readOnly and at PRAGMA query_only'),
      cause: expect.objectContaining({ message: 'attempt to write a readonly database' }),
    });
    expect([isReportingError(error), 'outcome' in error]).toEqual([false, false]);
    await store.close?.();
    database.close();
  });
});

describe('a read-only file system', () => {
  const mount = (...words: string[]) => spawnSync('mount', words).status === 0;
  const folder = newFile();
  mkdirSync(folder);
  const isMounted = mount('-t', 'tmpfs', 'tmpfs', folder);

  it.runIf(isMounted)('is named as the cause, for a new file and for an old one', async () => {
    try {
      const file = newFile();
      await openStore(file);
      copyFileSync(copyOf(file), `${folder}/old.db`);
      mount('-o', 'remount,ro', folder);
      for (const name of ['old', 'new'])
        expect(await rejectionOf(openStore(`${folder}/${name}.db`))).toMatchObject({
          code: 'read-only',
          message: expect.stringContaining('is mounted read-only, and permissions do not change that'),
        });
    } finally {
      spawnSync('umount', ['--lazy', folder]);
    }
  });

  it.each([
    ['EROFS', 'read-only'],
    ['ENOSPC', 'full'],
    ['EIO', 'io'],
  ])('and other errors of a file that cannot be made have their code: %s', (errno, code) => {
    expect(asSqliteError('/x/outbox.db', Object.assign(new Error(errno), { code: errno }))).toMatchObject({ code });
  });
});
