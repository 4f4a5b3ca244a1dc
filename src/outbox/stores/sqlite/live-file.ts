import { statSync } from 'node:fs';
import { failure } from './failure.js';

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
    for (const { path, identity } of opened) if (identityOf(path) !== identity) throw failure('replaced', path);
  };
}
