import { columns, connect, type OpenDatabase, type SqliteDatabase } from './database.js';
import { sqliteError } from './failure.js';
import { identityOf } from './live-file.js';

interface OpenFile {
  /** The SQLite version that has the file open. It differs between libraries. */
  readonly library: string;
  stores: number;
}

const KEY = Symbol.for('location-sdk.sqlite-files');

/** The open files of this thread, shared by all copies of this package. */
function openFiles(): Map<string, OpenFile> {
  const holder = globalThis as { [KEY]?: Map<string, OpenFile> };
  holder[KEY] ??= new Map();
  return holder[KEY];
}

const libraryOf = (database: SqliteDatabase): string => String(connect(database).first(`SELECT ${columns('sqlite_source_id() AS library')}`)?.library);

/**
 * Throws if a store of this process has the file open with another library. When one library closes a file, the locks of the
 * other library are lost. So the check runs before the file is opened, with a database in memory.
 */
export function ensureSameLibrary(open: OpenDatabase, file: string): void {
  const known = openFiles().get(identityOf(file) ?? '');
  if (!known) return;
  const probe = open(':memory:');
  const library = libraryOf(probe);
  probe.close();
  if (library !== known.library) throw sqliteError('library', file);
}

/** Registers the open file of a store. Returns a function that removes it. */
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
