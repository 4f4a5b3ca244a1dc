import { connect, type OpenDatabase, type SqliteDatabase } from './database.js';
import { sqliteError } from './failure.js';
import { identityOf } from './live-file.js';

interface OpenFile {
  /** The version of SQLite that has it open, which differs from library to library. */
  readonly library: string;
  stores: number;
}

const KEY = Symbol.for('location-sdk.sqlite-files');

/** The files that stores of this thread have open, for every copy of this package in it. */
function openFiles(): Map<string, OpenFile> {
  const holder = globalThis as { [KEY]?: Map<string, OpenFile> };
  holder[KEY] ??= new Map();
  return holder[KEY];
}

const libraryOf = (database: SqliteDatabase): string => String(connect(database).first('SELECT sqlite_source_id() AS library')?.library);

/**
 * Throws where a store of this process has the file open with another library. Two libraries do not know of each other:
 * when one closes the file, the locks of the other are gone. It is asked before the file is opened, by a database in memory.
 */
export function ensureSameLibrary(open: OpenDatabase, file: string): void {
  const known = openFiles().get(identityOf(file) ?? '');
  if (!known) return;
  const probe = open(':memory:');
  const library = libraryOf(probe);
  probe.close();
  if (library !== known.library) throw sqliteError('library', file);
}

/** Notes that a store has a file open; returns how to say that it is closed. */
export function noteOpen(database: SqliteDatabase, file: string): () => void {
  const key = identityOf(file);
  if (key === undefined) return () => {};
  const files = openFiles();
  const library = libraryOf(database);
  const known = files.get(key) ?? { library, stores: 0 };
  if (library !== known.library) throw sqliteError('library', file);
  known.stores += 1;
  files.set(key, known);
  return () => {
    known.stores -= 1;
    if (known.stores === 0) files.delete(key);
  };
}
