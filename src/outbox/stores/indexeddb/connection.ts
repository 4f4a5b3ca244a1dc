import { withTimeout } from '../../../platform/time.js';
import { asIndexedDbError, indexedDbError, isLost } from './failure.js';
import type { IndexedDbSettings } from './options.js';

/** Raised when the tables change. A browser refuses to open a database of a newer version; one of an older version is left as it is, too. */
const VERSION = 2;

/** The tables within one transaction. */
export interface Tables {
  readonly rows: IDBObjectStore;
  readonly log: IDBObjectStore;
  readonly meta: IDBObjectStore;
}

function createTables(database: IDBDatabase): void {
  const rows = database.createObjectStore('rows', { keyPath: 'row.id' });
  // Rows that do not have one of these are not in its index: what is blocked or final costs a claim nothing.
  for (const path of ['row.sequence', 'row.waitsFor', 'due', 'open', 'unlogged']) rows.createIndex(path, path);
  database.createObjectStore('log', { keyPath: 'index' });
  database.createObjectStore('meta');
}

/** The answer to a request. Within a transaction nothing else may be awaited: it commits as soon as it has nothing to do. */
export const ask = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Does the work in one transaction; resolves once it is committed, and for writes, on the disk. */
function transact<T>(database: IDBDatabase, mode: IDBTransactionMode, work: (tables: Tables) => Promise<T>, over: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // All of them, so that writers come one after the other. Browsers do not wait for the disk unless they are told to.
    const transaction = database.transaction(['rows', 'log', 'meta'], mode, { durability: 'strict' });
    const table = (name: keyof Tables) => transaction.objectStore(name);
    let value: T;
    let problem: unknown;
    const abort = () => {
      try {
        transaction.abort();
      } catch {
        // It has ended already.
      }
    };
    over.addEventListener('abort', abort);
    transaction.oncomplete = () => resolve(value);
    // Its own error first: requests that were under way only say that it was aborted.
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

/** The one connection to the database: opened when it is needed, given up for another tab's upgrade, opened again when it is lost. */
export function createConnection({ name, timeoutMs, clock, platform }: IndexedDbSettings) {
  let current: Promise<IDBDatabase> | undefined;
  let closed = false;

  /** Lets go of a connection, also of one that is still to come. */
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
      const request = platform.indexedDB.open(name, VERSION);
      let isOlder = false;
      request.onupgradeneeded = ({ oldVersion }) => {
        isOlder = oldVersion > 0;
        // Taken back whole: what is there stays as it is.
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
    /** Does the work in one transaction of its own, at most `timeoutMs` long; on a new connection where the first was lost. */
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
      if (result.ended === 'failed') throw asIndexedDbError(result.error);
      // An opening that did not answer may never answer: the next operation opens anew.
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
