import { ConfigurationError } from '../../../core/errors/errors.js';
import { playerTag } from '../../../core/platform/hash.js';
import { isBrowser } from '../../../core/platform/runtime.js';
import { type Clock, withTimeout } from '../../../core/platform/time.js';
import type { OutboxStore } from '../../store/store.js';
import { struckOf } from '../kept-destination.js';
import { createConnection, type Tables } from './connection.js';
import { bind, changeDestinationPause, ensure, readDestinations, rebind } from './destinations.js';
import { asStoreError, indexedDbError, noWebCrypto } from './failure.js';
import { type Ledger, ledger } from './ledger.js';
import { type IndexedDbSettings, type IndexedDbStoreOptions, readIndexedDbOptions } from './options.js';
import { type RowWriter, readCounts, readHeld, readOutlook, readRow, rowWriter } from './rows.js';
import { createHolder, createTabs, onReconnecting } from './tabs.js';

/**
 * Makes a store in the browser's IndexedDB, which the tabs of an origin share. Reports outlive the page, and a crash of
 * the tab or the browser. Every commit is on the disk before it is acknowledged (`durability: 'strict'`). One tab at a
 * time sends (`navigator.locks`), and the next tab takes over when that one is closed.
 *
 * `durable` is true only once the browser has promised to keep the data (`navigator.storage.persisted()`). False means
 * that the browser may clear the data when space runs short, or when a private window is closed. A page cannot tell
 * these two apart. The visitor can always clear the data. So the store bridges outages, and does not guarantee
 * delivery.
 *
 * Reports that wait are stored on the visitor's device as they are sent. With a relay (`relayUrl`) they contain no
 * `user` object, since the relay adds it, and `player` separates the players of a shared device. Without a relay, they
 * are whole: give the outbox `encryption`, and consider that others may use the device.
 *
 * Rejects with a `StoreError` if the page has no IndexedDB or it cannot be opened, and with a `ConfigurationError` if an
 * option is wrong or the runtime is not a browser. The store never falls back to memory.
 *
 * @example
 * ```ts
 * const store = await indexedDbStore({ player: session.userId });
 * const outbox = createOutbox({ client, store });
 * outbox.start();
 * ```
 */
export function indexedDbStore(options: IndexedDbStoreOptions = {}): Promise<OutboxStore> {
  return openIndexedDb(options, ledger);
}

export async function openIndexedDb(options: IndexedDbStoreOptions, makeLedger: Ledger): Promise<OutboxStore> {
  const settings = readIndexedDbOptions(options);
  if (!hasDatabase()) {
    if (isBrowser()) throw indexedDbError('unavailable');
    throw new ConfigurationError('indexedDbStore: there is no IndexedDB here; this store is for pages.');
  }
  if (settings.player !== undefined && !globalThis.crypto?.subtle) throw noWebCrypto();
  try {
    return await openStore(settings, makeLedger);
  } catch (error) {
    throw asStoreError(error);
  }
}

/**
 * Whether there is IndexedDB. If storage is switched off, some browsers throw here. Then opening the database gives the
 * exact error.
 */
function hasDatabase(): boolean {
  try {
    return Boolean(globalThis.indexedDB);
  } catch {
    return true;
  }
}

async function openStore(given: IndexedDbSettings, makeLedger: Ledger): Promise<OutboxStore> {
  const { clock, persist, player } = given;
  const settings = player === undefined ? given : { ...given, name: `${given.name} ${await playerTag(player)}` };
  const { run, close } = createConnection(settings);
  // Opens the database, so that a storage that is switched off rejects here.
  await run('readonly', async () => {});
  const holder = createHolder(settings);
  const change = <T>(work: (writer: RowWriter, tables: Tables) => Promise<T>): Promise<T> =>
    run('readwrite', async (tables) => {
      const writer = await rowWriter(tables, clock.now());
      const result = await work(writer, tables);
      writer.finish();
      return result;
    });

  /** The leases of tabs that are gone end at once. If the storage fails, they end by their time. */
  const takeOver = async (signal: AbortSignal) => {
    const held = await run('readonly', (tables) => readHeld(tables, clock.now()));
    holder.whenGone(new Set(held.flatMap((row) => row.holder ?? [])), signal, async (name) => {
      await change((writer) => writer.release(name));
      wake();
    });
  };
  const {
    announce,
    wake,
    watch: watchTabs,
    lead,
    close: closeTabs,
  } = createTabs(settings, (signal) => void takeOver(signal).catch(() => {}));

  const watch: OutboxStore['watch'] = (listener) => {
    const unwatch = watchTabs(listener);
    const hurry = async () => {
      await change((writer) => writer.hurry());
      // The tab that sends may be another one.
      announce();
      listener();
    };
    // If the storage fails, reports keep their due times.
    const forget = onReconnecting(globalThis, clock, () => void hurry().catch(() => {}));
    return () => {
      unwatch();
      forget();
    };
  };

  const isDurable = await persistence(persist, clock);

  return {
    get durable() {
      return isDurable();
    },
    player,
    async enqueue(given, transaction) {
      if (transaction !== undefined) throw new ConfigurationError('A page has no transactions.');
      const enqueued = await change(async (writer, tables) => {
        await ensure(tables, given);
        const added = [];
        for (const row of given) added.push(await writer.add(row));
        return added;
      });
      announce();
      return enqueued;
    },
    async turn({ writes, claim }) {
      const turn = async (name?: string) => {
        const result = await change(async (writer, tables) => {
          const written: boolean[] = [];
          for (const one of writes) written.push(await writer.write(one));
          const claimed = claim ? await writer.claim(claim, name) : [];
          return { written, claimed, struck: struckOf(await readDestinations(tables)) };
        });
        for (const { id } of writes) holder.claimed.delete(id);
        for (const { id } of result.claimed) holder.claimed.add(id);
        return result;
      };
      const result = await (claim ? holder.holding(turn) : turn());
      // A turn without a claim is a person's decision, which the worker must see.
      if (!claim) announce();
      return result;
    },
    bind: (given) => run('readwrite', (tables) => bind(tables, given)),
    async rebind(change) {
      const made = await run('readwrite', (tables) => rebind(tables, change, clock.now()));
      announce();
      return made;
    },
    outlook: (accounts) => run('readonly', (tables) => readOutlook(tables, clock.now(), accounts)),
    async pause(change) {
      const made = await run('readwrite', (tables) => changeDestinationPause(tables, change, clock.now()));
      announce();
      return made;
    },
    get: (ids) => run('readonly', (tables) => Promise.all(ids.map((id) => readRow(tables, id)))),
    counts: (accounts) => run('readonly', (tables) => readCounts(tables, accounts)),
    ...makeLedger(run),
    watch,
    ...(lead && { lead }),
    close: async () => {
      closeTabs();
      close();
    },
  };
}

/** The time limit of the browser for the answer whether it has promised to keep the data. */
const PERSISTED_MS = 1_000;

/** Asks the browser whether it keeps the data, and to do so. Returns a function that tells whether it has promised. */
async function persistence(persist: boolean, clock: Clock): Promise<() => boolean> {
  const storage = globalThis.navigator?.storage;
  const known = await withTimeout(() => storage?.persisted?.(), { clock, milliseconds: PERSISTED_MS });
  let durable = known.ended === 'done' && known.value === true;
  if (persist && !durable)
    // Not awaited, since some browsers ask the visitor, who may never answer.
    new Promise<boolean | undefined>((resolve) => resolve(storage?.persist?.())).then(
      (promised) => {
        durable = promised === true;
      },
      () => {},
    );
  return () => durable;
}
