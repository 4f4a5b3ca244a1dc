import { hasCode } from '../../../core/errors/errors.js';
import { isStoreError } from '../../../core/errors/store-error.js';
import { newSecret, OWN_SECRET } from '../../seal/key-ring.js';
import { createSharedStatements } from '../sql/statements.js';
import { createCommits, createRetryWhileBusy } from './commits.js';
import { createTally } from './counts.js';
import { connect, ensureReadable, fileOf, type OpenDatabase } from './database.js';
import { dialectOf } from './dialect.js';
import { asSqliteError, libraryCodeOf, sqliteError } from './failure.js';
import { guardFile, noteOpen } from './file-checks.js';
import { createFileTime } from './file-time.js';
import { closeFile, ensureFull, openFile, prepareDatabase } from './open.js';
import { readSqliteOptions, type SqliteStoreOptions } from './options.js';

export type StoreFile = Awaited<ReturnType<typeof openStoreFile>>;

export async function openStoreFile(options: SqliteStoreOptions) {
  const { file, open, database: given, busyTimeoutMs: busyMs, clock, random } = readSqliteOptions(options);
  if (given) ensureReadable(given);
  const opened = given ? { database: given, place: fileOf(given) || ':memory:' } : await openOrReject(file ?? '', open);
  const { database, place } = opened;
  const connection = connect(database);
  const tally = createTally(connection);
  const retryWhileBusy = createRetryWhileBusy({ clock, random, busyMs });
  let noteClosed = () => {};
  const forget = () => {
    noteClosed();
    connection.forget();
  };

  async function prepare() {
    const durable = await retryWhileBusy(() => prepareDatabase(database, place, !given));
    const real = fileOf(database);
    noteClosed = noteOpen(database, real);
    const guard = await retryWhileBusy(() => guardFile(given ? real : place, real, connection));
    const verify = () => {
      if (given) ensureFull(database, place);
      guard.verify();
    };
    const commits = createCommits({ connection, place, retryWhileBusy, guard: { ...guard, verify }, tally });
    const time = await retryWhileBusy(() => createFileTime(connection, clock));
    const dialect = dialectOf(connection, time.now, commits);
    const reads = createSharedStatements(dialect);
    // The first report may come in a transaction of the user, which keeps the store from writing.
    await reads.getOrCreateSetting(OWN_SECRET, newSecret());
    return { durable, guard, commits, time, dialect, reads };
  }

  const prepared = await prepare().catch((error) => {
    forget();
    const isUnfit = hasCode(error, 'configuration');
    if (!given && !isUnfit) database.close();
    throw isUnfit ? error : asSqliteError(place, error);
  });

  /** Throws if the file was deleted, replaced or restored. */
  const ensureSame = () => {
    prepared.guard.ensureLive();
    prepared.guard.verify();
  };

  async function close() {
    await prepared.commits.close();
    try {
      if (!given) closeFile(database, ensureSame);
    } catch (error) {
      throw asSqliteError(place, error);
    }
    forget();
  }

  return { connection, place, clock, tally, ...prepared, ensureSame, close };
}

async function openOrReject(file: string, open: OpenDatabase | undefined) {
  try {
    return await openFile(file, open);
  } catch (error) {
    if (isStoreError(error)) throw error;
    const code = libraryCodeOf(error);
    throw sqliteError(code === 'other' ? 'unavailable' : code, file, error);
  }
}
