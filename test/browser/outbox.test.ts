import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test as base } from './browser-test.js';
import { type KillableBrowser, startChromium } from './chromium.js';
import { enqueue, openOutbox, reportsOf, statsOf } from './outbox-in-page.js';
import type { ServedGateway } from './served-gateway.js';

declare const LocationSDK: typeof import('../../src/global-outbox.js').LocationSDK;
declare const outbox: ReturnType<typeof LocationSDK.createOutbox>;

const test = base
  /** Starts browsers over one profile, one after the other. */
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that nothing is needed.
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

/** What the gateway holds, in the order of their names. */
const recorded = (gateway: ServedGateway): unknown[] => (gateway.recorded() as { bet_id: string }[]).map(({ bet_id }) => bet_id).sort();

/** How many reports left the page. */
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
}

test('what a crashed tab had accepted, also what was on its way, is delivered by the next one', async ({ context, page, site, gateway, options }) => {
  // Recorded, and then no answer comes: the tab dies with these in flight.
  gateway.gateway.faults.add({ kind: 'hang', when: 'after', times: 3 });
  await openOutbox(page, site.url, options);
  await enqueue(page, names('B', 20).slice(0, 3));
  await expect.poll(() => recorded(gateway)).toHaveLength(3);
  await enqueue(page, names('B', 20).slice(3), { note: 'while it waits' });
  await crash(context, page);

  const next = await openOutbox(await context.newPage(), site.url, options);
  await expect.poll(async () => (await statsOf(next)).states.recorded, patient).toBe(20);

  expect(recorded(gateway)).toEqual(names('B', 20).sort());
  const rows = await reportsOf(next, names('B', 20));
  expect(rows.slice(0, 3).map(({ outcome }) => outcome)).toEqual(['already-recorded', 'already-recorded', 'already-recorded']);
  expect(rows.filter(({ state }) => state !== 'recorded')).toEqual([]);
});

test('a tab closed before anything was sent loses nothing', async ({ context, page, site, gateway, options }) => {
  await openOutbox(page, site.url, options, { start: false });
  expect(await enqueue(page, names('B', 5))).toEqual(Array(5).fill('waiting'));
  await page.close({ runBeforeUnload: false });

  const next = await openOutbox(await context.newPage(), site.url, options);
  await expect.poll(async () => (await statsOf(next)).states.recorded, patient).toBe(5);
  expect(recorded(gateway)).toEqual(names('B', 5));
});

test('of two tabs one sends the reports of both, each once; when it is closed the other takes over', async ({ context, page, site, gateway, options }) => {
  const posts = [countPosts(page)];
  await openOutbox(page, site.url, options);
  await enqueue(page, names('first', 5));
  const second = await context.newPage();
  posts.push(countPosts(second));
  await openOutbox(second, site.url, options);
  await Promise.all([enqueue(page, names('A', 20)), enqueue(second, names('B', 20))]);
  await expect.poll(async () => (await statsOf(second)).states.recorded, patient).toBe(45);

  expect(posts.map((count) => count())).toEqual([45, 0]);
  expect(gateway.gateway.requests({ operation: 'reportBetEvent' })).toHaveLength(45);

  await page.close();
  await enqueue(second, names('C', 5));
  await expect.poll(async () => (await statsOf(second)).states.recorded, patient).toBe(50);
  expect(recorded(gateway)).toHaveLength(50);
  expect(gateway.gateway.requests({ operation: 'reportBetEvent' })).toHaveLength(50);
});

test('a tab that is frozen hands over to the other one, and is one beside it when it goes on', async ({ context, page, site, gateway, options }) => {
  await openOutbox(page, site.url, options);
  await enqueue(page, names('A', 1));
  await expect.poll(() => recorded(gateway)).toHaveLength(1);
  const second = await openOutbox(await context.newPage(), site.url, options);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
  await enqueue(second, names('B', 5));
  await expect.poll(() => recorded(gateway), patient).toHaveLength(6);

  await cdp.send('Page.setWebLifecycleState', { state: 'active' });
  await Promise.all([enqueue(page, names('C', 10)), enqueue(second, names('D', 10))]);
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(26);
  expect(gateway.gateway.requests({ operation: 'reportBetEvent' })).toHaveLength(26);
});

test('two tabs without locks send each report once, kept apart by leases', async ({ context, site, gateway, options }) => {
  await context.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
  const [one, other] = [await context.newPage(), await context.newPage()];
  await openOutbox(one, site.url, options);
  await openOutbox(other, site.url, options);
  await Promise.all([enqueue(one, names('A', 20)), enqueue(other, names('B', 20))]);
  await expect.poll(async () => (await statsOf(one)).states.recorded, patient).toBe(40);

  expect(recorded(gateway)).toHaveLength(40);
  expect(gateway.gateway.requests({ operation: 'reportBetEvent' })).toHaveLength(40);
});

test('what is reported offline is accepted, and delivered when the network is back', async ({ context, page, site, gateway, options }) => {
  await openOutbox(page, site.url, options);
  await context.setOffline(true);
  expect(await enqueue(page, names('B', 5))).toEqual(Array(5).fill('waiting'));
  await expect.poll(async () => (await reportsOf(page, names('B', 5))).every(({ problem }) => problem?.code === 'network'), patient).toBe(true);
  expect(recorded(gateway)).toEqual([]);

  await context.setOffline(false);
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(5);
  expect(recorded(gateway)).toEqual(names('B', 5));
});

test('a full storage refuses the report, and what was accepted before is delivered', async ({ context, page, site, gateway, options }) => {
  const cdp = await context.newCDPSession(page);
  await cdp.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize: 100_000 });
  await openOutbox(page, site.url, options, { start: false });
  await enqueue(page, names('B', 3));
  // Chromium packs what it stores: this cannot be packed.
  expect(await enqueue(page, ['large'], { note: randomBytes(150_000).toString('hex') })).toEqual(['IndexedDbError quota']);
  expect(await statsOf(page)).toMatchObject({ states: { waiting: 3 } });

  await page.evaluate(() => outbox.start());
  await expect.poll(async () => (await statsOf(page)).states.recorded, patient).toBe(3);
  expect(recorded(gateway)).toEqual(names('B', 3));
});

test('what was acknowledged is there after the whole browser was killed', async ({ restart, site, gateway, options }) => {
  const accepted: string[] = [];
  for (const round of names('round', 3)) {
    const context = await restart();
    const page = await openOutbox(await context.newPage(), site.url, options, { start: false });
    expect(await statsOf(page)).toMatchObject({ states: { waiting: accepted.length } });
    expect((await reportsOf(page, accepted)).map(({ reference }) => reference)).toEqual(accepted);
    await enqueue(page, names(round, 10));
    accepted.push(...names(round, 10));
    // At once: nothing gives the browser time to write.
  }
  const last = await openOutbox(await (await restart()).newPage(), site.url, options);
  await expect.poll(async () => (await statsOf(last)).states.recorded, patient).toBe(30);
  expect(recorded(gateway)).toEqual(accepted.sort());
});

test('in a private window it works, and does not call itself durable', async ({ page, site, gateway, options }) => {
  await openOutbox(page, site.url, options);
  await enqueue(page, ['B-1']);
  await expect.poll(() => recorded(gateway)).toEqual(['B-1']);
  expect(await page.evaluate(() => outbox.durable)).toBe(false);
});

test.for(['outbox', 'outbox-too'])('the script with the outbox, as on the page /%s, offers all that the other does', async (path, { page, site }) => {
  await page.goto(site.url);
  const offered = await page.evaluate(() => Object.keys(LocationSDK));
  await page.goto(`${site.url}/${path}`);
  expect(await page.evaluate(() => Object.keys(LocationSDK).sort())).toEqual([...offered, 'createOutbox', 'indexedDbStore'].sort());
});

test('what only operators need says where it is', async ({ page, site, options }) => {
  await openOutbox(page, site.url, options);
  const messages = await page.evaluate(() =>
    Promise.all(
      [outbox.drain(), outbox.list(), outbox.retry('x'), outbox.resolve('x', { as: 'recorded', reason: 'y' }), outbox.resume('staging')].map((one) =>
        one.catch(({ code, message }) => `${code}: ${message}`),
      ),
    ),
  );
  for (const message of messages) expect(message).toMatch(/^configuration: .*location-sdk\/outbox/);
});

test('a wrong option of the outbox is named', async ({ page, site, options }) => {
  await page.goto(`${site.url}/outbox`);
  const message = await page.evaluate(async (options) => {
    const client = LocationSDK.createClient(options);
    try {
      LocationSDK.createOutbox({ client, store: await LocationSDK.indexedDbStore(), leaseMs: 5, concurency: 1, retry: { capMs: 'long' } } as never);
    } catch (error) {
      return (error as Error).message;
    }
  }, options);
  for (const part of ['leaseMs', 'concurency', 'capMs']) expect(message).toContain(part);
});
