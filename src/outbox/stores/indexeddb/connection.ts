import { withTimeout } from '../../../core/platform/time.js';
import { asStoreError, indexedDbError, isLost } from './failure.js';
import type { IndexedDbSettings } from './options.js';

/** The version of the tables. A database of a newer or older version is not opened and stays unchanged. */
const VERSION = 3;

export interface Tables {
  readonly rows: IDBObjectStore;
  readonly log: IDBObjectStore;
  readonly meta: IDBObjectStore;
}

function createTables(database: IDBDatabase): void {
  const rows = database.createObjectStore('rows', { keyPath: 'row.id' });
  // A row without a key is not in that index, so blocked and final rows do not slow a claim down.
  for (const path of ['row.sequence', 'row.waitsFor', 'due', 'open', 'unlogged']) rows.createIndex(path, path);
  database.createObjectStore('log', { keyPath: 'index' });
  database.createObjectStore('meta');
}

/** Resolves with the result of a request. Within a transaction await only requests: an idle transaction commits. */
export const ask = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Runs the work in one transaction. Resolves once the transaction is committed and its writes are on the disk. */
function transact<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  work: (tables: Tables) => Promise<T>,
  over: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    // All tables, so that writers run one after the other. Browsers wait for the disk only with `strict`.
    const transaction = database.transaction(['rows', 'log', 'meta'], mode, { durability: 'strict' });
    const table = (name: keyof Tables) => transaction.objectStore(name);
    let value: T;
    let problem: unknown;
    const abort = () => {
      try {
        transaction.abort();
      } catch {
        // The transaction has already ended.
      }
    };
    over.addEventListener('abort', abort);
    transaction.oncomplete = () => resolve(value);
    // The error of the transaction comes first, since its requests only report the abort.
    transaction.onabort = () => reject(transaction.error ?? problem);
    work({ rows: table('rows'), log: table('log'), meta: table('meta') }).then(
      (result) => {
        value = result;
      },
      (error: unknown) => {
        problem = error;
        abort();
      },
    );
  });
}

/**
 * The single connection to the database. It opens on demand and again after a loss, and closes for the upgrade of
 * another tab.
 */
export function createConnection({ name, timeoutMs, clock }: IndexedDbSettings) {
  let current: Promise<IDBDatabase> | undefined;
  let closed = false;

  /** Drops a connection. Closes it as soon as it is open. */
  function forget(opening: Promise<IDBDatabase> | undefined): void {
    if (current === opening) current = undefined;
    opening?.then(
      (database) => database.close(),
      () => {},
    );
  }

  function connect(): Promise<IDBDatabase> {
    if (current) return current;
    const opening = new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, VERSION);
      let isOlder = false;
      request.onupgradeneeded = ({ oldVersion }) => {
        isOlder = oldVersion > 0;
        // The abort leaves the existing data unchanged.
        if (isOlder) request.transaction?.abort();
        else createTables(request.result);
      };
      request.onerror = () => reject(isOlder ? indexedDbError('older') : request.error);
      request.onsuccess = () => {
        const database = request.result;
        database.onclose = database.onversionchange = () => forget(opening);
        resolve(database);
      };
    });
    current = opening;
    opening.catch(() => forget(opening));
    return opening;
  }

  return {
    /**
     * Runs the work in its own transaction, for at most `timeoutMs`. Tries once more on a new connection if the first
     * was lost.
     */
    async run<T>(mode: IDBTransactionMode, work: (tables: Tables) => Promise<T>): Promise<T> {
      let opening: Promise<IDBDatabase> | undefined;
      const result = await withTimeout(
        async (over) => {
          for (let again = false; ; again = true) {
            if (closed) throw indexedDbError('closed');
            opening = connect();
            try {
              return await transact(await opening, mode, work, over);
            } catch (error) {
              if (again || over.aborted || !isLost(error)) throw error;
              forget(opening);
            }
          }
        },
        { clock, milliseconds: timeoutMs },
      );
      if (result.ended === 'done') return result.value;
      if (result.ended === 'failed') throw asStoreError(result.error);
      // An open request without an answer may never get one, so the next operation opens a new connection.
      forget(opening);
      throw indexedDbError('timeout');
    },
    close(): void {
      closed = true;
      forget(current);
    },
  };
}

export type Connection = ReturnType<typeof createConnection>;
