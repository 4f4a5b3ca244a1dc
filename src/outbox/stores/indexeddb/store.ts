import { ConfigurationError } from '../../../errors/errors.js';
import { playerTag } from '../../../platform/hash.js';
import { withTimeout } from '../../../platform/time.js';
import type { OutboxStore } from '../../store.js';
import { ask, createConnection } from './connection.js';
import { bind, changeDestinationPause, ensure, readDestinations, rebind } from './destinations.js';
import { asIndexedDbError } from './failure.js';
import { ledger } from './ledger.js';
import { isSound, mend } from './mend.js';
import { type IndexedDbSettings, type IndexedDbStoreOptions, readIndexedDbOptions } from './options.js';
import { onReconnecting } from './reconnecting.js';
import { dueRanges, type IndexedRow, readCounts, readRow, rowWriter } from './rows.js';
import { createTabs } from './tabs.js';

/** How long the browser may think about whether it promised to keep the data. */
const PERSISTED_MS = 1_000;

/**
 * A store in the browser's IndexedDB, shared by the tabs of an origin: reports outlive the page, a crash of the tab and
 * of the browser. Every commit is on the disk before it is acknowledged (`durability: 'strict'`). One tab at a time
 * sends (`navigator.locks`), and the next takes over when it is closed.
 *
 * `durable` is true only once the browser has promised to keep the data (`navigator.storage.persisted()`), which it
 * may refuse. False means that it may clear the data when space runs short, or, in a private window, when that is
 * closed: the two cannot be told apart, since browsers hide private windows from pages. Either way a visitor can
 * clear it. So it bridges outages; it is no guarantee.
 *
 * What waits lies on the visitor's device as it is sent. With a relay (`relayUrl`) it holds no `user` object, since
 * the relay adds that, and `player` keeps players on a shared device apart; without one, give the outbox a `seal`, and
 * consider what a shared device means.
 *
 * Rejects with an `IndexedDbError` where IndexedDB cannot be opened, with a `ConfigurationError` where an option is
 * wrong or there is no IndexedDB. Nothing falls back to memory.
 *
 * @example
 * ```ts
 * const store = await indexedDbStore({ player: session.userId });
 * const outbox = createOutbox({ client, store });
 * outbox.start();
 * ```
 */
export async function indexedDbStore(options: IndexedDbStoreOptions = {}): Promise<OutboxStore> {
  const settings = readIndexedDbOptions(options);
  try {
    return await openStore(settings);
  } catch (error) {
    throw asIndexedDbError(error);
  }
}

async function openStore(given: IndexedDbSettings): Promise<OutboxStore> {
  const { clock, persist, player } = given;
  const settings = player === undefined ? given : { ...given, name: `${given.name} ${await playerTag(player)}` };
  const storage = settings.platform.navigator?.storage;
  const { run, close } = createConnection(settings);
  // A storage that is full must not keep sound rows from being sent: the next opening mends again.
  if (!(await run('readonly', isSound))) await run('readwrite', (tables) => mend(tables, clock.now())).catch(() => undefined);
  const { announce, watch: watchTabs, lead, close: closeTabs } = createTabs(settings);

  const watch: OutboxStore['watch'] = (listener) => {
    const unwatch = watchTabs(listener);
    const hurry = async () => {
      await run('readwrite', async (tables) => {
        const writer = await rowWriter(tables, clock.now());
        await writer.hurry();
        writer.finish();
      });
      // The tab that sends may be another one.
      announce();
      listener();
    };
    // Where the storage fails, reports are sent when their time comes.
    const forget = onReconnecting(settings.platform, clock, () => void hurry().catch(() => {}));
    return () => {
      unwatch();
      forget();
    };
  };

  const known = await withTimeout(() => storage?.persisted?.(), { clock, milliseconds: PERSISTED_MS });
  let durable = known.ended === 'done' && known.value === true;
  if (persist && !durable)
    // Not awaited: some browsers ask the visitor, who may never answer.
    new Promise<boolean | undefined>((resolve) => resolve(storage?.persist?.())).then(
      (promised) => {
        durable = promised === true;
      },
      () => {},
    );

  return {
    get durable() {
      return durable;
    },
    player,
    async enqueue(given, transaction) {
      if (transaction !== undefined) throw new ConfigurationError('transaction: the IndexedDB store cannot write in yours. Nothing was stored.');
      const enqueued = await run('readwrite', async (tables) => {
        await ensure(tables, given);
        const writer = await rowWriter(tables, clock.now());
        const added = [];
        for (const row of given) added.push(await writer.add(row));
        writer.finish();
        return added;
      });
      announce();
      return enqueued;
    },
    async turn({ writes, claim }) {
      const result = await run('readwrite', async (tables) => {
        const writer = await rowWriter(tables, clock.now());
        const written: boolean[] = [];
        for (const one of writes) written.push(await writer.write(one));
        const claimed = claim ? await writer.claim(claim) : [];
        writer.finish();
        return { written, claimed };
      });
      // A worker knows what it does; a person's decision is news to it.
      if (!claim) announce();
      return result;
    },
    bind: (given) => run('readwrite', (tables) => bind(tables, given)),
    async rebind(change) {
      const made = await run('readwrite', (tables) => rebind(tables, change, clock.now()));
      announce();
      return made;
    },
    outlook: (accounts) =>
      run('readonly', async (tables) => {
        const at = clock.now();
        const outlooks = [];
        for (const destination of await readDestinations(tables, accounts)) {
          const { account, environment, pause } = destination;
          const index = tables.rows.index('due');
          const first = await ask<IndexedRow | undefined>(index.get(IDBKeyRange.bound([account, environment], [account, environment, []])));
          const jumped = await ask(index.getKey(dueRanges(destination, at)[1]));
          const nextInMs = jumped === undefined ? first && first.row.dueAt - at : 0;
          outlooks.push({ ...destination, pause: { ...pause, remainingMs: pause.until - at }, nextInMs });
        }
        return outlooks;
      }),
    async pause(change) {
      const made = await run('readwrite', (tables) => changeDestinationPause(tables, change, clock.now()));
      announce();
      return made;
    },
    get: (ids) => run('readonly', (tables) => Promise.all(ids.map((id) => readRow(tables, id)))),
    counts: (accounts) => run('readonly', (tables) => readCounts(tables, accounts)),
    ...ledger(run),
    watch,
    ...(lead && { lead }),
    close: async () => {
      closeTabs();
      close();
    },
  };
}
