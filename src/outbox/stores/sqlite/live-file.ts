import { statSync } from 'node:fs';
import { type Connection, columns } from './database.js';
import { sqliteError } from './failure.js';
import { LATEST_SEQUENCE } from './schema.js';

/**
 * The device and the number of the file at a path. It uses the path and no descriptor, since closing a descriptor of a database
 * file would drop all locks of this process on it.
 */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Remembers the files that a database has open, and returns a check that throws once one of them was deleted or replaced. Data in
 * a deleted file is lost when the last process closes it. Without the opened -shm file, another process would treat the database
 * as unused. `given` may be a link to `real`. SQLite keeps the other two files beside `real`.
 */
export function watchFiles(given: string, real: string): () => void {
  if (real === '') return () => {};
  const opened = [given, `${real}-wal`, `${real}-shm`].map((path) => ({ path, identity: identityOf(path) })).filter(({ identity }) => identity !== undefined);
  return () => {
    for (const { path, identity } of opened) if (identityOf(path) !== identity) throw sqliteError('replaced', path);
  };
}

/** The progress of a database. Both numbers only grow. */
const PROGRESS = `SELECT ${columns(
  `${LATEST_SEQUENCE} AS rows`,
  "coalesce((SELECT number FROM outbox_counts WHERE account = '' AND name = 'turns'), 0) AS turns",
)}`;

/**
 * Finds out whether an older copy was written over the file, which keeps its identity. Before a transaction `verify` reads the
 * time and size of the file, which change with each checkpoint of any process, and with a copy. After a change it drops the pages
 * in memory, and compares the progress of the file with the latest one, which `note` keeps.
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
