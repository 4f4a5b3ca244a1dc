// @module-tag slow: drives Chromium.
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser-test.js';
import { FOREIGN_SCRIPTS } from './foreign-scripts.js';
import { grantGeolocation, POSITION } from './geolocation.js';
import { logIn } from './outbox-in-page.js';
import { serveRelay } from './relay-world.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK &
  typeof import('../../src/entries/script-tag-outbox.js').LocationSDK;

const BETS = ['B-1', 'B-2', 'B-3', 'B-4'];
const NOW = String(Math.floor(Date.now() / 1_000));

/**
 * In the page: a report that is recorded, one whose answer is lost, one that is misspelt, one that is refused for its
 * words, and one through the outbox of the page. Returns what the page sees.
 */
const reportAll = (page: Page, bets: readonly string[]) =>
  page.evaluate(
    async ([timestamp = '', recorded, lost, stored, again]) => {
      const client = LocationSDK.createClient({ relayUrl: '/relay', retry: { limit: 1, baseMs: 0 } });
      const bet = { amount: 1500, timestamp, metadata: { match: 'A–B', odds: 2.5 } };
      const ended: unknown[] = [];
      const note = async (call: () => Promise<unknown>) => {
        try {
          ended.push(await call());
        } catch (error) {
          if (!LocationSDK.isReportingError(error)) throw error;
          const { code, message } = error;
          ended.push({ code, message, player: LocationSDK.playerMessage(error) });
        }
      };
      await note(() => client.reportBetEvent({ ...bet, bet_id: recorded ?? '' }));
      await note(() => client.reportBetEvent({ ...bet, bet_id: lost ?? '' }));
      await note(() => client.reportBetEvent({ ...bet, bet_id: 'B-9', amount: undefined, ammount: 5 } as never));
      await note(() => client.reportBetEvent({ ...bet, bet_id: again ?? '', metadata: { list: [1, 'a'] } } as never));
      const outbox = LocationSDK.createOutbox({
        client,
        store: await LocationSDK.indexedDbStore({ player: 'U-88412' }),
      });
      outbox.start();
      await note(async () => (await outbox.reportBetEvent({ ...bet, bet_id: stored ?? '' })).done);
      await outbox.stop();
      return ended;
    },
    [NOW, ...bets],
  );

type When = 'before' | 'after';

/** Runs the story in a new profile, with another script before or after the SDK's. Returns the answers and the reports. */
async function tell(browser: Browser, when?: When, run: () => void = () => {}) {
  const shop = await serveRelay({ client: { attemptTimeoutMs: 10_000 } });
  const context = await browser.newContext();
  try {
    await logIn(context, shop.url, 'ada');
    await grantGeolocation(context);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    if (when === 'before') await page.addInitScript(run);
    await page.goto(`${shop.url}/outbox-too`);
    if (when === 'after') await page.evaluate(run);
    shop.answers.lost = 1;
    const ended = JSON.stringify(await reportAll(page, BETS)).replace(/"(?:durationMs|ageMs)":\d+/g, '"ms":0');
    return { ended: JSON.parse(ended), problems, sent: shop.gateway.reports().map(({ body }) => body) };
  } finally {
    await context.close();
    await shop.close();
  }
}

test.for(
  Object.entries(FOREIGN_SCRIPTS).flatMap(([name, run]) => [
    { name, when: 'before' as const, run },
    { name, when: 'after' as const, run },
  ]),
)(
  '$name, loaded $when the SDK, changes no report and no word',
  { tags: 'slice' },
  async ({ when, run }, { browser }) => {
    const alone = await tell(browser);

    expect(alone.sent).toMatchObject([{ bet_id: 'B-1', location: POSITION }, { bet_id: 'B-2' }, { bet_id: 'B-3' }]);
    expect(await tell(browser, when, run)).toEqual(alone);
  },
);
