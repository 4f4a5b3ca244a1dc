import { isConfigurationError } from '../../../errors/guards.js';
import type { Enqueued, NewRow } from '../../store.js';
import { connect, fileOf, rollBack, type SqliteDatabase } from './database.js';
import { createDestinations } from './destinations.js';
import { asSqliteError, isNested, sqliteError } from './failure.js';
import { ensureFull } from './open.js';
import { createRows } from './rows.js';
import { createTally } from './tally.js';

interface Within {
  /** The store's own connection. */
  readonly own: SqliteDatabase;
  readonly place: string;
  /** Throws if the file is no longer the one that was opened. */
  readonly ensureLive: () => void;
  readonly rows: readonly NewRow[];
  readonly now: number;
}

/**
 * Adds rows within the user's transaction, on the store's connection or another one to the same file. Adds all rows or none. They
 * are visible once the user commits.
 */
export async function enqueueWithin(transaction: unknown, { own, place, ensureLive, rows: given, now }: Within): Promise<readonly Enqueued[]> {
  const database = transaction as SqliteDatabase;
  if (typeof database?.exec !== 'function' || typeof database.prepare !== 'function') throw unfit(place, 'expected the connection that has begun it');
  if (database !== own && fileOf(database) !== fileOf(own)) throw unfit(place, 'the connection has another file open');
  if (!isWithin(database)) throw unfit(place, 'the connection has no open transaction');
  ensureLive();
  ensureFull(database, place);
  const connection = connect(database);
  const tally = createTally(connection);
  database.exec('SAVEPOINT outbox');
  try {
    createDestinations(connection).ensure(given);
    const rows = createRows(connection, tally, () => {});
    const enqueued = given.map((row) => rows.add(row, now));
    tally.write();
    database.exec('RELEASE outbox');
    return enqueued;
  } catch (error) {
    rollBack(database, 'ROLLBACK TO outbox; RELEASE outbox');
    throw isConfigurationError(error) ? error : asSqliteError(place, error);
  }
}

const unfit = (place: string, why: string) => sqliteError('other', place, undefined, `: transaction: ${why}`);

/** Whether a transaction is open. It tries to begin one, since the libraries have different names for the state. */
function isWithin(database: SqliteDatabase): boolean {
  try {
    database.exec('BEGIN');
  } catch (error) {
    return isNested((error as Error).message);
  }
  database.exec('ROLLBACK');
  return false;
}
