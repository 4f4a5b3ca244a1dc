import type { BrowserContext, Page } from 'playwright-core';
import type { Outbox, OutboxOptions, OutboxReport, OutboxStats } from '../../src/entries/outbox.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag-outbox.js').LocationSDK;
declare const outbox: Outbox<'relay'>;

export type PageOutboxOptions = Pick<OutboxOptions, 'leaseMs' | 'pollMs' | 'retry' | 'concurrency'>;

/**
 * Short, so that no test waits long for a lease, and long enough for a slow machine. The limit of an attempt must be
 * below the lease.
 */
const QUICK = { attemptTimeoutMs: 4_000, outbox: { leaseMs: 6_000, pollMs: 200, retry: { baseMs: 50, capMs: 200 } } };

/** The relay's players, by their sessions. */
const PLAYERS = { ada: 'U-88412', bola: 'U-2' } as const;
export type Session = keyof typeof PLAYERS;

export const logIn = (context: BrowserContext, url: string, session: Session): Promise<void> =>
  context.addCookies([{ name: 'session', value: session, url, httpOnly: true, sameSite: 'Strict' }]);

/** In the page: makes an outbox over the player's store and starts to send, unless told otherwise. */
export async function openOutbox(
  page: Page,
  url: string,
  {
    start = true,
    session = 'ada',
    retry = QUICK.outbox.retry,
    leaseMs = QUICK.outbox.leaseMs,
    pollMs = QUICK.outbox.pollMs,
  }: { start?: boolean; session?: Session } & Pick<PageOutboxOptions, 'retry' | 'leaseMs' | 'pollMs'> = {},
): Promise<Page> {
  await page.goto(`${url}/outbox`);
  await page.evaluate(
    async ([{ attemptTimeoutMs, outbox: given }, player, start]) => {
      const client = LocationSDK.createClient({ relayUrl: '/relay', attemptTimeoutMs });
      const outbox = LocationSDK.createOutbox({
        client,
        store: await LocationSDK.indexedDbStore({ player }),
        ...given,
      });
      Object.assign(window, { outbox });
      if (start) outbox.start();
    },
    [{ ...QUICK, outbox: { ...QUICK.outbox, retry, leaseMs, pollMs } }, PLAYERS[session], start] as const,
  );
  return page;
}

const location = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };

/** In the page: enqueues bets. Resolves once all are committed, with their states. */
export const enqueue = (page: Page, references: readonly string[], more: object = {}): Promise<string[]> =>
  page.evaluate(
    async (bets) => (await Promise.all(bets.map((bet) => outbox.reportBetEvent(bet)))).map(({ state }) => state),
    references.map((bet_id) => ({ bet_id, amount: 1500, location, ...more })),
  );

export const statsOf = (page: Page): Promise<OutboxStats> => page.evaluate(() => outbox.stats());

/** The reports with these references that the outbox has. */
export const reportsOf = async (page: Page, references: readonly string[]): Promise<OutboxReport[]> => {
  const found = await page.evaluate(
    (ids) => Promise.all(ids.map((id) => outbox.get(id))),
    references.map((reference) => `default:relay:reportBetEvent:${reference}`),
  );
  return found.flatMap((report) => report ?? []);
};

/** All data in the databases of the origin, as text. */
export const storedIn = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const ask = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const found: unknown[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await ask(indexedDB.open(name));
      const transaction = database.transaction([...database.objectStoreNames]);
      for (const table of database.objectStoreNames)
        found.push(name, table, await ask(transaction.objectStore(table).getAll()));
      database.close();
    }
    return JSON.stringify(found);
  });
