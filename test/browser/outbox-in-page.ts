import type { Page } from 'playwright-core';
import type { OutboxOptions, OutboxReport, OutboxStats } from '../../src/outbox/index.js';
import { betEvent } from './bet.js';
import type { PageOptions } from './in-page.js';

declare const LocationSDK: typeof import('../../src/global-outbox.js').LocationSDK;
declare const outbox: ReturnType<typeof LocationSDK.createOutbox>;

export type PageOutboxOptions = Pick<OutboxOptions, 'leaseMs' | 'pollMs' | 'retry' | 'concurrency'>;

/** Short, so that no test waits long for what a killed tab left; the attempt's limit of the client must be below the lease. */
export const QUICK = { attemptTimeoutMs: 1_000, outbox: { leaseMs: 2_000, pollMs: 200, retry: { baseMs: 50, capMs: 200 } } };

/** In the page: makes an outbox over the store of the origin and begins to send, unless told otherwise. */
export async function openOutbox(page: Page, url: string, options: PageOptions, { start = true } = {}): Promise<Page> {
  await page.goto(`${url}/outbox`);
  await page.evaluate(
    async ([{ attemptTimeoutMs, outbox: given }, options, start]) => {
      const client = LocationSDK.createClient({ ...options, attemptTimeoutMs });
      const outbox = LocationSDK.createOutbox({ client, store: await LocationSDK.indexedDbStore(), ...given });
      Object.assign(window, { outbox });
      if (start) outbox.start();
    },
    [QUICK, options, start] as const,
  );
  return page;
}

const LOCATION = { latitude: 6.4474, longitude: 7.5139, source: 'terminal' };

/** In the page: enqueues bets; resolves once they are committed. Gives the states, or the words of the errors. */
export const enqueue = (page: Page, references: readonly string[], metadata: Record<string, string> = {}): Promise<string[]> =>
  page.evaluate(
    async ([bets, location]) => {
      const ended = await Promise.allSettled(bets.map((bet) => outbox.reportBetEvent(bet, { location })));
      return ended.map((one) => (one.status === 'fulfilled' ? one.value.state : `${one.reason.name} ${one.reason.code}`));
    },
    [references.map((bet_id) => ({ ...betEvent({ bet_id }), metadata })), LOCATION] as const,
  );

export const statsOf = (page: Page): Promise<OutboxStats> => page.evaluate(() => outbox.stats());

/** The reports of these references, as far as the outbox has them. */
export const reportsOf = async (page: Page, references: readonly string[]): Promise<OutboxReport[]> => {
  const found = await page.evaluate(
    (ids) => Promise.all(ids.map((id) => outbox.get(id))),
    references.map((reference) => `staging:reportBetEvent:${reference}`),
  );
  return found.flatMap((report) => report ?? []);
};
