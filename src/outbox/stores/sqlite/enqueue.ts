import { hasCode } from '../../../core/errors/errors.js';
import type { Enqueued, NewRow } from '../../store/store.js';
import { createTally } from './counts.js';
import { type Connection, connect, ensureReadable, fileOf, rollBack, type SqliteDatabase } from './database.js';
import { createDestinations, type Destinations } from './destinations.js';
import { asSqliteError, isNested, sqliteError } from './failure.js';
import { ensureFull, ensureKeepsCommits } from './open.js';
import type { StoreFile } from './open-store.js';
import { createRows, type Rows } from './rows.js';

export function createEnqueue(
  { connection: { database }, place, guard, time: { now }, commits: { write }, ensureSame }: StoreFile,
  rows: Rows,
  destinations: Destinations,
) {
  function enqueue(added: readonly NewRow[]): Promise<readonly Enqueued[]> {
    const [first, ...others] = added;
    const insertFirst = (given: NewRow) => {
      const row = rows.insertOne(given, now());
      if (!row) return undefined;
      guard.reach(row.sequence);
      return [{ row, added: true }];
    };
    return write(
      () => {
        destinations.ensure(added);
        return added.map((row) => rows.add(row, now()));
      },
      {
        rows: added.length,
        alone: first && others.length === 0 && first.waitsFor === undefined ? () => insertFirst(first) : undefined,
      },
    );
  }

  /**
   * Adds rows within the user's transaction, on the store's connection or another one to the same file. Adds all rows
   * or none. They are visible once the user commits.
   */
  async function enqueueWithin(transaction: unknown, added: readonly NewRow[]): Promise<readonly Enqueued[]> {
    const within = connectionWithin(transaction, place, database);
    ensureSame();
    ensureFull(within.database, place);
    const counted = createTally(within);
    within.database.exec('SAVEPOINT outbox');
    try {
      createDestinations(within).ensure(added);
      const { add } = createRows(within, counted);
      const at = now();
      const enqueued = added.map((row) => add(row, at));
      counted.write();
      within.database.exec('RELEASE outbox');
      return enqueued;
    } catch (error) {
      rollBack(within.database, 'ROLLBACK TO outbox; RELEASE outbox');
      throw hasCode(error, 'configuration') ? error : asSqliteError(place, error);
    }
  }

  return (added: readonly NewRow[], transaction: unknown): Promise<readonly Enqueued[]> =>
    transaction === undefined ? enqueue(added) : enqueueWithin(transaction, added);
}

/** The connection of the user's transaction. Throws if it is not one to the store's file, with an open transaction. */
export function connectionWithin(transaction: unknown, place: string, own: SqliteDatabase): Connection {
  const database = transaction as SqliteDatabase;
  if (typeof database?.exec !== 'function' || typeof database.prepare !== 'function')
    throw unfit(place, 'expected the connection that has begun it');
  if (database !== own) {
    ensureReadable(database);
    if (fileOf(database) !== fileOf(own)) throw unfit(place, 'the connection has another file open');
    ensureKeepsCommits(database, place);
  }
  if (!isWithin(database)) throw unfit(place, 'the connection has no open transaction');
  return connect(database);
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
