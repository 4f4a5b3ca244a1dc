import { statSync } from 'node:fs';
import type { Connection } from './database.js';
import { sqliteError } from './failure.js';

/**
 * The device and the number of the file that has a path. It is asked by the path: closing a descriptor of a database file
 * would drop all locks that this process holds on it.
 */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Remembers which files a database has open, and returns a check that throws once one of them was deleted or replaced: what
 * is written to a deleted file is gone when the last process closes it. Without the -shm file that was opened, another process
 * takes the database for unused. `given` may be a link to `real`, beside which SQLite keeps both.
 */
export function watchFiles(given: string, real: string): () => void {
  if (real === '') return () => {};
  const opened = [given, `${real}-wal`, `${real}-shm`].map((path) => ({ path, identity: identityOf(path) })).filter(({ identity }) => identity !== undefined);
  return () => {
    for (const { path, identity } of opened) if (identityOf(path) !== identity) throw sqliteError('replaced', path);
  };
}

/** How far a database has come. Neither number ever shrinks: no report is removed, and turns are only added. */
const PROGRESS = `SELECT coalesce((SELECT max(sequence) FROM outbox_rows), 0) AS rows,
  coalesce((SELECT number FROM outbox_counts WHERE account = '' AND name = 'turns'), 0) AS turns`;

/**
 * Finds that an older copy was written over the file itself, which its identity does not show. Before a transaction `verify`
 * looks at the time and the size of the file: they change with each checkpoint, also of another process, and with a copy. Then
 * the pages in memory are given up, and the file is compared with the furthest that this process has seen, which `note` keeps.
 */
export function watchProgress(path: string, { first, database }: Connection): { verify(): void; note(): void } {
  if (path === '') return { verify() {}, note() {} };
  const read = () => {
    const found = first(PROGRESS);
    return { rows: Number(found?.rows), turns: Number(found?.turns) };
  };
  const stamp = () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && `${found.mtimeMs} ${found.size}`;
  };
  let written = stamp();
  let furthest = read();
  let isRestored = false;
  return {
    verify() {
      const now = stamp();
      if (now !== written && !isRestored) {
        database.exec('PRAGMA shrink_memory');
        const { rows, turns } = read();
        isRestored = rows < furthest.rows || turns < furthest.turns;
        written = now;
      }
      if (isRestored) throw sqliteError('restored', path);
    },
    note() {
      furthest = read();
    },
  };
}
