// @module-tag slow: drives Chromium.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createOutbox, memoryStore, type Outbox } from '../../src/entries/outbox.js';
import { betUser, withdrawalEvent } from '../support/factories.js';
import { test as base } from './browser-test.js';
import { type KillableBrowser, startChromium } from './chromium.js';
import { enqueue, logIn, openOutbox, reportsOf, statsOf, storedIn } from './outbox-in-page.js';
import { serveRelay } from './relay-world.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag-outbox.js').LocationSDK;
declare const outbox: Outbox<'relay'>;

const test = base
  /** The operator's site: its pages, its relay, and a gateway that keeps its reports. Ada is logged in. */
  .extend('shop', async ({ context }, { onCleanup }) => {
    const shop = await serveRelay({ client: { attemptTimeoutMs: 10_000 } });
    onCleanup(shop.close);
    await logIn(context, shop.url, 'ada');
    return shop;
  })
  /** Starts browsers over one profile, one after the other. */
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the empty pattern as "needs no fixture".
  .extend('restart', async ({}, { onCleanup }) => {
    const profile = await mkdtemp(join(tmpdir(), 'location-sdk-profile-'));
    let running: KillableBrowser | undefined;
    const restart = async () => {
      await running?.kill();
      running = await startChromium(profile);
      return running.context;
    };
    onCleanup(async () => {
      await running?.kill();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    });
    return restart;
  });

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

type Shop = Awaited<ReturnType<typeof serveRelay>>;

/** The reports of the gateway, sorted by name. */
const recorded = ({ gateway }: Shop): string[] =>
  gateway
    .reports()
    .map(({ reference }) => reference)
    .sort();

/** The number of reports that left the page. */
function countPosts(page: Page): () => number {
  let posts = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') posts += 1;
  });
  return () => posts;
}

const patient = { timeout: 20_000 };

async function crash(context: BrowserContext, page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const cdp = await context.newCDPSession(page);
  // It never answers.
  cdp.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();
}

/**
 * Nothing in the tab runs any more, until the returned function is called. The Chromium from npm freezes no page, since
 * it hides none: a frozen page is one that was told so and stands still.
 */
async function standStill(
  context: BrowserContext,
  page: Page,
  how: 'frozen' | 'debugged',
): Promise<() => Promise<void>> {
  const cdp = await context.newCDPSession(page);
  await cdp.send('Debugger.enable');
  const stands = new Promise((resolve) => cdp.once('Debugger.paused', resolve));
  const tell = "document.dispatchEvent(new Event('freeze')); await new Promise((resolve) => setTimeout(resolve));";
  const expression = `(async () => { ${how === 'frozen' ? tell : ''} debugger })()`;
  // It answers when the tab goes on.
  cdp.send('Runtime.evaluate', { expression }).catch(() => {});
  await stands;
  return async () => {
    await cdp.send('Debugger.resume');
    await cdp.detach();
  };
}

/** So long that no test waits for its end. */
const LONG_LEASE = { leaseMs: 600_000 };

test('the reports that a crashed tab had accepted, also those being sent, are delivered by the next one at once', async ({
  context,
  page,
  shop,
}) => {
  // Recorded, and then no answer comes: the tab is killed with these in flight.
  shop.answers.held = 3;
  await openOutbox(page, shop.url, LONG_LEASE);
  await enqueue(page, names('B', 20).slice(0, 3));
  await expect.poll(() => recorded(shop)).toHaveLength(3);
  await enqueue(page, names('B', 20).slice(3), { metadata: { note: 'while it waits' } });
  await crash(context, page);

  const next = await openOutbox(await context.newPage(), shop.url, LONG_LEASE);
  await expect.poll(async () => (await statsOf(next)).states.recorded, patient).toBe(20);

  expect(recorded(shop)).toEqual(names('B', 20).sort());
  const rows = await reportsOf(next, names('B', 20));
  expect(rows.slice(0, 3).map(({ outcome }) => outcome)).toEqual([
    'already-recorded',
    'already-recorded',
    'already-recorded',
  ]);
  expect(rows.filter(({ state }) => state !== 'recorded')).toEqual([]);
});

/** Leaves two reports in flight: the gateway has them, and their answers never come. */
async function leaveInFlight(page: Page, shop: Shop): Promise<void> {
  shop.answers.held = 2;
  await openOutbox(page, shop.url, LONG_LEASE);
  await enqueue(page, names('B', 2));
  await expect.poll(() => recorded(shop)).toHaveLength(2);
  expect(await statsOf(page)).toMatchObject({ states: { 'in-flight': 2 } });
}

const outcomesIn = async (page: Page) => (await reportsOf(page, names('B', 2))).map(({ outcome }) => outcome);

for (const [how, leave] of [
  ['is closed', (page: Page) => page.close()],
  ['loads another page', (page: Page) => page.goto('about:blank')],
] as const)
  test(`when the tab that sends ${how}, a tab that was open beside it sends its reports again at once`, async ({
    context,
    page,
    shop,
  }) => {
    await leaveInFlight(page, shop);
    const other = await openOutbox(await context.newPage(), shop.url, LONG_LEASE);
    expect(await statsOf(other)).toMatchObject({ states: { 'in-flight': 2 } });
    await leave(page);
    await expect.poll(() => outcomesIn(other), patient).toEqual(['already-recorded', 'already-recorded']);
    expect(recorded(shop)).toEqual(names('B', 2));
  });

test('after the browser was killed while it sent, the next one sends those reports again at once', async ({
  restart,
  shop,
}) => {
  const context = await restart();
  await logIn(context, shop.url, 'ada');
  await leaveInFlight(await context.newPage(), shop);

  const again = await restart();
  await logIn(again, shop.url, 'ada');
  const page = await openOutbox(await again.newPage(), shop.url, LONG_LEASE);
  await expect.poll(() => outcomesIn(page), patient).toEqual(['already-recorded', 'already-recorded']);
  expect(recorded(shop)).toEqual(names('B', 2));
});

test('the reports of a frozen tab are not sent again by another one while the tab is there', async ({
  context,
  page,
  shop,
}) => {
  await leaveInFlight(page, shop);
  const requests = () => shop.gateway.requests().length;
  await standStill(context, page, 'frozen');
  const other = await openOutbox(await context.newPage(), shop.url, LONG_LEASE);
  // This tab is the leader now: it sends its own report, and has looked for the others.
  await enqueue(other, ['C-0']);
  await expect.poll(() => recorded(shop), patient).toEqual(['B-0', 'B-1', 'C-0']);
  await other.waitForTimeout(1_000);
  expect(await statsOf(other)).toMatchObject({ states: { 'in-flight': 2, recorded: 1 } });
  expect(requests()).toBe(3);

  await page.close();
  await expect.poll(() => outcomesIn(other), patient).toEqual(['already-recorded', 'already-recorded']);
});

test('a request of a stored report ends with its page, which holds no lock in the back cache if nothing is in flight', async ({
  context,
  page,
  shop,
}) => {
  await openOutbox(page, shop.url, { ...LONG_LEASE, start: false });
  await page.evaluate(() => {
    const { fetch } = window;
    const kept: unknown[] = [];
    Object.assign(window, { kept });
    window.fetch = (url, init) => {
      kept.push(init?.keepalive);
      return fetch(url, init);
    };
    outbox.start();
  });
  await enqueue(page, ['B-1']);
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(1);
  // Otherwise it could still be under way while the next tab sends the same report.
  expect(await page.evaluate(() => (window as unknown as { kept: unknown[] }).kept)).toEqual([undefined]);

  const allLocks = () => page.evaluate(async () => (await navigator.locks.query()).held ?? []);
  const leader = async () => (await allLocks()).find(({ name }) => !name?.includes(' tab '))?.clientId;
  const own = await leader();
  const locks = async () => (await allLocks()).filter(({ clientId }) => clientId === own).length;
  expect(await locks()).toBe(2);
  const other = await openOutbox(await context.newPage(), shop.url, LONG_LEASE);
  expect(await leader()).toBe(own);
  const hide = () => window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
  await page.evaluate(hide);
  await expect.poll(leader).not.toBe(own);
  // The worker asks again at its next turn, as after a return from the cache.
  await page.evaluate(() => outbox.stop());
  await page.evaluate(hide);
  await expect.poll(locks).toBe(0);
  await enqueue(other, ['B-2']);
  await expect.poll(() => recorded(shop), patient).toEqual(['B-1', 'B-2']);
});

test('a tab closed before anything was sent loses nothing', { tags: 'slice' }, async ({ context, page, shop }) => {
  await openOutbox(page, shop.url, { start: false });
  expect(await enqueue(page, names('B', 5))).toEqual(Array(5).fill('waiting'));
  await page.close({ runBeforeUnload: false });

  const next = await openOutbox(await context.newPage(), shop.url);
  await expect.poll(async () => (await statsOf(next)).states.recorded, patient).toBe(5);
  expect(recorded(shop)).toEqual(names('B', 5));
});

test('of two tabs one sends the reports of both, each once; when it is closed the other takes over', {
  tags: 'slice',
}, async ({ context, page, shop }) => {
  const posts = [countPosts(page)];
  await openOutbox(page, shop.url);
  await enqueue(page, names('first', 5));
  const second = await context.newPage();
  posts.push(countPosts(second));
  await openOutbox(second, shop.url);
  await Promise.all([enqueue(page, names('A', 20)), enqueue(second, names('B', 20))]);
  await expect.poll(async () => (await statsOf(second)).states.recorded, patient).toBe(45);

  await expect.poll(() => posts.map((count) => count())).toEqual([45, 0]);
  expect(shop.gateway.requests()).toHaveLength(45);

  await page.close();
  await enqueue(second, names('C', 5));
  await expect.poll(async () => (await statsOf(second)).states.recorded, patient).toBe(50);
  expect(recorded(shop)).toHaveLength(50);
  expect(shop.gateway.requests()).toHaveLength(50);
});

/**
 * Two tabs, of which the first leads, has delivered A-0 and is at rest: a tab that stands still within a transaction
 * holds the database, which no other tab can help.
 */
async function openBesideRested(context: BrowserContext, page: Page, shop: Shop, lease: object): Promise<Page> {
  await openOutbox(page, shop.url, { ...lease, pollMs: 600_000 });
  await enqueue(page, names('A', 1));
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(1);
  const second = await openOutbox(await context.newPage(), shop.url, lease);
  await page.waitForTimeout(1_000);
  return second;
}

for (const [what, how, lease] of [
  ['a frozen tab hands over to another one', 'frozen', LONG_LEASE],
  ['while the tab that sends stands still in a debugger, another one sends', 'debugged', {}],
] as const)
  test(`${what}, each report once, also when it goes on`, async ({ context, page, shop }) => {
    const second = await openBesideRested(context, page, shop, lease);
    const goOn = await standStill(context, page, how);
    const posts = [page, second].map(countPosts);
    await enqueue(second, names('B', 5));
    await expect.poll(() => recorded(shop), { timeout: 30_000 }).toHaveLength(6);
    await expect.poll(() => posts.map((count) => count())).toEqual([0, 5]);

    await goOn();
    await Promise.all([enqueue(page, names('C', 10)), enqueue(second, names('D', 10))]);
    await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(26);
    expect(shop.gateway.requests()).toHaveLength(26);
  });

test('two tabs without locks send each report once, separated by leases', async ({ context, shop }) => {
  await context.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
  const [one, other] = [await context.newPage(), await context.newPage()];
  await openOutbox(one, shop.url);
  await openOutbox(other, shop.url);
  await Promise.all([enqueue(one, names('A', 20)), enqueue(other, names('B', 20))]);
  await expect.poll(async () => (await statsOf(one)).states.recorded, patient).toBe(40);

  expect(recorded(shop)).toHaveLength(40);
  expect(shop.gateway.requests()).toHaveLength(40);
});

test('what is reported offline is accepted, and delivered when the network is back', { tags: 'slice' }, async ({
  context,
  page,
  shop,
}) => {
  await openOutbox(page, shop.url);
  await context.setOffline(true);
  expect(await enqueue(page, names('B', 5))).toEqual(Array(5).fill('waiting'));
  // The others may be held back by the pause that it began.
  await expect
    .poll(
      async () => (await reportsOf(page, names('B', 5))).some(({ problem }) => problem?.code === 'network'),
      patient,
    )
    .toBe(true);
  expect(recorded(shop)).toEqual([]);

  await context.setOffline(false);
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(5);
  expect(recorded(shop)).toEqual(names('B', 5));
});

/** The longest allowed wait: jitter takes any part of it, so a short one would sometimes end within the test. */
const SLOW = { baseMs: 2_147_483_647, capMs: 2_147_483_647 };

for (const [what, refusals] of [
  ['is retried at once when the page is online again', 0],
  ['that was tried too early, while the network only seemed to be back, is retried a little later', 1],
] as const)
  test(`a report without an answer ${what}`, async ({ context, page, shop }) => {
    await page.clock.install();
    await openOutbox(page, shop.url, { retry: SLOW });
    await context.setOffline(true);
    await enqueue(page, names('B', 3));
    await expect
      .poll(
        async () => (await reportsOf(page, names('B', 3))).every(({ problem }) => problem?.code === 'network'),
        patient,
      )
      .toBe(true);
    await page.clock.fastForward(1_100);
    let refused = 0;
    await page.route('**/report-bet-event', (route) => {
      refused += 1;
      return refused <= refusals ? route.abort('internetdisconnected') : route.continue();
    });
    await context.setOffline(false);
    // The clock is moved only after the refusal is stored: an attempt that has just failed is not hurried.
    await expect
      .poll(async () => (await statsOf(page)).states, patient)
      .toMatchObject({ recorded: 3 - refusals, waiting: refusals });
    const tried = async () => {
      await page.clock.runFor(200);
      return (await statsOf(page)).states.recorded;
    };
    await expect.poll(tried, patient).toBe(3);
  });

for (const [what, dispatch] of [
  ['becomes visible', () => document.dispatchEvent(new Event('visibilitychange'))],
  ['comes back', () => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))],
] as const)
  test(`a report without an answer is retried at once when the page ${what}; one that an answer delays is not`, async ({
    page,
    shop,
  }) => {
    await page.route('**/report-bet-event', (route) => {
      const { bet_id } = route.request().postDataJSON();
      return bet_id === 'B-0'
        ? route.abort('internetdisconnected')
        : route.fulfill({ status: 502, json: { error: { code: 'gateway', outcome: 'unknown', message: 'x' } } });
    });
    await page.clock.install();
    await openOutbox(page, shop.url, { retry: SLOW });
    await enqueue(page, names('B', 2));
    await expect
      .poll(async () => (await reportsOf(page, names('B', 2))).map(({ problem }) => problem?.code), patient)
      .toEqual(['network', 'gateway']);
    await page.unrouteAll();
    await page.clock.fastForward(1_100);
    await page.evaluate(dispatch);
    await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(1);
    await page.clock.runFor(500);
    expect(recorded(shop)).toEqual(['B-0']);
  });

test('acknowledged reports are there after the whole browser was killed', async ({ restart, shop }) => {
  const accepted: string[] = [];
  for (const round of names('round', 2)) {
    const context = await restart();
    await logIn(context, shop.url, 'ada');
    const page = await openOutbox(await context.newPage(), shop.url, { start: false });
    expect(await statsOf(page)).toMatchObject({ states: { waiting: accepted.length } });
    expect((await reportsOf(page, accepted)).map(({ reference }) => reference)).toEqual(accepted);
    await enqueue(page, names(round, 10));
    accepted.push(...names(round, 10));
    // At once: the browser gets no time to write.
  }
  const context = await restart();
  await logIn(context, shop.url, 'ada');
  const last = await openOutbox(await context.newPage(), shop.url);
  await expect.poll(async () => (await statsOf(last)).states.recorded, patient).toBe(20);
  expect(recorded(shop)).toEqual(accepted.sort());
});

test('in a private window it works, and does not call itself durable', async ({ page, shop }) => {
  await openOutbox(page, shop.url);
  await enqueue(page, ['B-1']);
  await expect.poll(() => recorded(shop)).toEqual(['B-1']);
  expect(await page.evaluate(() => outbox.durable)).toBe(false);
});

test.for(['outbox', 'outbox-too'])(
  'the script with the outbox, as on the page /%s, offers the whole API of the other, and an outbox',
  async (path, { page, shop }) => {
    await page.goto(shop.url);
    const all = await page.evaluate(() => Object.keys(LocationSDK));
    // With a relay no lookup service is asked.
    const offered = all.filter((name) => path !== 'outbox' || !['geojs', 'ipapiCo', 'freeipapi'].includes(name));
    await page.goto(`${shop.url}/${path}`);
    expect(await page.evaluate(() => Object.keys(LocationSDK).sort())).toEqual(
      [...offered, 'createOutbox', 'indexedDbStore'].sort(),
    );
    const seen = await page.evaluate(async () => {
      const client = LocationSDK.createClient({ relayUrl: '/relay' });
      const made = LocationSDK.createOutbox({ client, store: await LocationSDK.indexedDbStore({ player: 'U-88412' }) });
      made.start();
      const { done } = await made.reportBetEvent({
        bet_id: 'B-1',
        amount: 1500,
        location: { latitude: 6.4, longitude: 7.5, source: 'gps' },
      });
      return (await done).outcome;
    });
    expect(seen).toBe('recorded');
  },
);

test('the script with the outbox is for a relay only: all else is refused, with the right entry in the message', async ({
  page,
  shop,
}) => {
  await page.goto(`${shop.url}/outbox`);
  const messages = await page.evaluate(() =>
    [
      {},
      {
        allowApiKeyInBrowser: true,
        gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'canary-key' } },
      },
      { relayUrl: '/relay', gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'canary-key' } } },
    ].map((options) => {
      try {
        LocationSDK.createClient(options);
        return 'taken';
      } catch (error) {
        return (error as { code: string }).code + (error as Error).message;
      }
    }),
  );
  for (const message of messages)
    expect(message).toMatch(
      /^configuration.*(?:relayUrl: is required in this build.*location-sdk\.global\.js|gateways: is set by the relay)/s,
    );
  expect(messages.join()).not.toContain('canary-key');
});

test("the records and views of a page's reports have the names of every build", async ({ context, page, shop }) => {
  await openOutbox(page, shop.url);
  await context.setOffline(true);
  await enqueue(page, ['B-1']);
  await expect.poll(async () => (await reportsOf(page, ['B-1']))[0]?.problem?.code, patient).toBe('network');
  expect((await reportsOf(page, ['B-1']))[0]).toMatchObject({ inDoubt: true });
  expect(await storedIn(page)).toContain('"inDoubt":true');
});

test('a function for operators only says which entry has it', async ({ page, shop }) => {
  await openOutbox(page, shop.url);
  const messages = await page.evaluate(() =>
    Promise.all(
      [
        () => outbox.drain(),
        () => outbox.list(),
        () => outbox.retry('x'),
        () => outbox.resolve('x', { as: 'recorded', reason: 'y' }),
        () => outbox.resume('relay'),
        () => outbox.receiptHead(),
        async () => outbox.iterate(),
        async () => outbox.exportReceipts(),
        async () => outbox.reconcile([]),
      ].map((call) =>
        call().then(
          () => 'it was done',
          ({ code, message }) => `${code}: ${message}`,
        ),
      ),
    ),
  );
  expect(messages).toHaveLength(9);
  for (const message of messages) expect(message).toMatch(/^configuration: .*location-sdk\/outbox/);
});

test('a report is never sent in the session of another player, and is delivered once its own player is logged in again', async ({
  context,
  page,
  shop,
}) => {
  await openOutbox(page, shop.url, { start: false });
  await enqueue(page, ['ada-1']);
  // Another tab logs out and in. This one gets no event of it.
  await logIn(context, shop.url, 'bola');
  const other = await openOutbox(await context.newPage(), shop.url, { session: 'bola' });
  await page.evaluate(() => outbox.start());
  await expect
    .poll(async () => (await statsOf(page)).paused, patient)
    .toMatchObject([{ environment: 'relay', reason: 'authentication' }]);

  await enqueue(other, ['bola-1']);
  await expect.poll(() => recorded(shop), patient).toEqual(['bola-1']);
  // The gateway has the report before the page has stored the answer.
  await expect.poll(() => statsOf(other), patient).toMatchObject({ states: { recorded: 1, waiting: 0 }, paused: [] });
  expect(await statsOf(page)).toMatchObject({ states: { waiting: 1 } });

  await logIn(context, shop.url, 'ada');
  await expect.poll(() => recorded(shop), patient).toEqual(['ada-1', 'bola-1']);
  const named = shop.gateway
    .reports()
    .map(({ reference, body }) => [reference, (body as { user: { user_id: string } }).user.user_id]);
  expect(Object.fromEntries(named)).toEqual({ 'ada-1': 'U-88412', 'bola-1': 'U-2' });
});

test('when the session has ended no report is lost or quarantined: the next login delivers', async ({
  context,
  page,
  shop,
}) => {
  await context.clearCookies();
  await openOutbox(page, shop.url);
  await enqueue(page, names('B', 3));
  await expect.poll(async () => (await statsOf(page)).paused, patient).toMatchObject([{ reason: 'authentication' }]);
  await logIn(context, shop.url, 'ada');
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(3);
  expect(recorded(shop)).toEqual(names('B', 3));
});

test('if the data of the site is cleared, the page is informed within a minute that its reports may have been sent', async ({
  context,
  page,
  shop,
}) => {
  shop.answers.held = 1;
  await page.clock.install();
  await openOutbox(page, shop.url);
  await page.evaluate(() => {
    const location = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };
    const told: { reference: string; outcome: string; code: string }[] = [];
    Object.assign(window, {
      told,
      begin: async (reference: string) => {
        const { done } = await outbox.reportBetEvent({ bet_id: reference, amount: 1500, location });
        done.catch(({ outcome, code }) => told.push({ reference, outcome, code }));
      },
    });
  });
  const begin = (reference: string) =>
    page.evaluate((name) => (window as unknown as { begin(name: string): Promise<void> }).begin(name), reference);
  await begin('ON-ITS-WAY');
  await expect.poll(() => recorded(shop)).toEqual(['ON-ITS-WAY']);
  await context.setOffline(true);
  await begin('WAITS');
  // Chromium's storage hangs now and then if it is cleared during a transaction.
  await expect.poll(async () => (await statsOf(page)).states, patient).toMatchObject({ waiting: 1, 'in-flight': 1 });
  const cdp = await context.newCDPSession(page);
  await cdp.send('Storage.clearDataForOrigin', { origin: new URL(shop.url).origin, storageTypes: 'indexeddb' });
  const told = () =>
    page.evaluate(() =>
      (window as unknown as { told: { reference: string }[] }).told.sort((a, b) =>
        a.reference < b.reference ? -1 : 1,
      ),
    );
  // Otherwise it would be informed after five minutes.
  await page.clock.fastForward(60_000);
  await expect.poll(told, { timeout: 50_000 }).toEqual([
    { reference: 'ON-ITS-WAY', outcome: 'unknown', code: 'aborted' },
    { reference: 'WAITS', outcome: 'unknown', code: 'aborted' },
  ]);
});

test("neither the storage nor the requests of a page contain a key or the player's identity", async ({
  page,
  shop,
}) => {
  const requests: string[] = [];
  page.on('request', (request) =>
    requests.push(JSON.stringify([request.url(), request.headers(), request.postData()])),
  );
  await openOutbox(page, shop.url, { start: false });
  await enqueue(page, ['B-1'], { user: betUser() });
  await page.evaluate((event) => outbox.reportWithdrawalEvent(event as never), {
    ...withdrawalEvent(),
    location: { latitude: 6.4, longitude: 7.5, source: 'gps' },
  });
  const stored = await storedIn(page);
  await page.evaluate(() => outbox.start());
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(2);

  const kept = [stored, await storedIn(page), ...requests];
  expect([stored.includes('B-1'), requests.some((text) => text.includes('WR-1'))]).toEqual([true, true]);
  const { is_resident: _, ...user } = { ...withdrawalEvent().user, ...betUser() };
  for (const text of kept)
    for (const secret of ['mock-api-key', 'user', ...Object.values(user)])
      expect(text.replaceAll('user-agent', '')).not.toContain(secret);
  // And once they are recorded, only fingerprints are left. A fingerprint or a time may contain these digits by chance.
  expect(kept[1]).not.toMatch(/\b1500\b/);
});

test('an outbox behind the relay accepts the reports of a page, and the page gets that answer', async ({
  context,
  page,
}) => {
  const shop = await serveRelay({ behind: (client) => createOutbox({ client, store: memoryStore() }) });
  try {
    await logIn(context, shop.url, 'ada');
    await openOutbox(page, shop.url);
    await enqueue(page, ['B-1']);
    await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(1);
    expect(await reportsOf(page, ['B-1'])).toMatchObject([{ state: 'recorded', outcome: 'accepted' }]);
    expect(shop.gateway.reports()).toEqual([]);
  } finally {
    await shop.close();
  }
});
