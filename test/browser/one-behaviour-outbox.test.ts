// @module-tag slow: compares all builds.
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { betUser } from '../support/factories.js';
import { test } from './browser-test.js';
import { bundleModules, readScript } from './script-file.js';

/**
 * Every build with the outbox gets the same wrong options of `createOutbox` and of its store, in a real browser, and
 * must give the same messages.
 */
declare const LocationSDK: typeof import('../../src/entries/script-tag-outbox.js').LocationSDK;

const ORIGIN = 'https://operator.example.com';
const PAGE_FILE = 'location-sdk.outbox.global.js';
const { nin, first_name, last_name } = betUser();
const name = `${first_name} ${last_name}`;

/** Together with a client with a relay and a store of the player, which the page makes. */
const outboxOptions: Record<string, unknown>[] = [
  {},
  { concurrency: 0 },
  { concurrency: '8' },
  { concurrency: 1_001 },
  { concurency: 8 },
  { [nin]: 1 },
  { retry: { baseMs: 0, capMs: '5' } },
  { retry: { baseMs: 5, capsMs: 9 } },
  { retry: 3 },
  { leaseMs: 10_000 },
  { leaseMs: 0 },
  { leaseMs: 1e12 },
  { leaseMs: '60000' },
  { pollMs: 0 },
  { pollMs: Number.NaN },
  { stopTimeoutMs: -1 },
  { breakerAfter: 1.5 },
  { keepBodies: 'yes' },
  { account: name },
  { account: 7 },
  { accounts: {} },
  { accounts: { [name]: {} }, client: undefined },
  { accounts: { a: {} } },
  { client: undefined },
  { client: {} },
  { client: null },
  { store: undefined },
  { store: { player: 'U-1' } },
  { store: name },
  { client: {}, store: {}, account: name, concurrency: 0, pollMs: 0, retry: { baseMs: -1 }, keepBodies: 1 },
];

const storeOptions: unknown[] = [
  {},
  null,
  name,
  { name: '' },
  { nmae: 'outbox' },
  { player: '' },
  { player: 7 },
  { timeoutMs: 0 },
  { persist: 'yes' },
  { clock: {} },
  { persist: 1, timeoutMs: '5' },
];

const scripts: Record<string, string> = {};
beforeAll(async () => {
  scripts.modules = await bundleModules('index.js', 'outbox.js', 'outbox-indexeddb.js');
  scripts['location-sdk/page and the outbox'] = await bundleModules('page.js', 'outbox.js', 'outbox-indexeddb.js');
  scripts[PAGE_FILE] = readScript(PAGE_FILE);
});

interface Given {
  readonly outboxes: readonly Record<string, unknown>[];
  readonly stores: readonly unknown[];
}

/** In the page: the result of making each outbox and each store. */
async function endsOf({ outboxes, stores }: Given): Promise<unknown[]> {
  const ends: unknown[] = [];
  const say = async (about: unknown, make: () => unknown) => {
    try {
      await make();
      ends.push([about, 'made']);
    } catch (error) {
      ends.push([about, LocationSDK.isReportingError(error) ? error.toJSON() : String(error)]);
    }
  };
  const client = LocationSDK.createClient({ relayUrl: '/relay' });
  const store = await LocationSDK.indexedDbStore({ player: 'U-88412' });
  for (const options of outboxes)
    await say(Object.keys(options), () => LocationSDK.createOutbox({ client, store, ...options } as never));
  for (const options of [undefined, null, [], 'no object'])
    await say(options, () => LocationSDK.createOutbox(options as never));
  const throwing = Object.defineProperty({ client, store }, 'pollMs', {
    enumerable: true,
    get() {
      throw new Error('secret');
    },
  });
  await say('a getter that throws', () => LocationSDK.createOutbox(throwing));
  const shared = await LocationSDK.indexedDbStore({});
  await say('a store without a player', () => LocationSDK.createOutbox({ client, store: shared }));
  for (const [index, options] of stores.entries())
    await say(`store ${index}`, () => LocationSDK.indexedDbStore(options as never));
  return ends;
}

/** The messages of a build for all of them. */
async function sayAll(page: Page, script: string, given: Given): Promise<unknown[]> {
  await page.route('**/*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>Operator</title></html>' }),
  );
  await page.goto(`${ORIGIN}/`);
  await page.addScriptTag({ content: script });
  const ends = await page.evaluate(endsOf, given);
  await page.unroute('**/*');
  return ends;
}

test('every build of the outbox refuses the same options with the same messages, and shows no personal data', {
  timeout: 60_000,
}, async ({ page }) => {
  const given = { outboxes: outboxOptions, stores: storeOptions };
  const modules = await sayAll(page, scripts.modules ?? '', given);
  // Otherwise the comparison would prove nothing.
  expect(modules.filter((end) => Array.isArray(end) && end[1] === 'made')).toEqual([
    [[], 'made'],
    ['store 0', 'made'],
  ]);
  expect(modules).toContainEqual([
    ['concurrency'],
    expect.objectContaining({
      code: 'configuration',
      message: expect.stringContaining('concurrency: expected a whole number'),
    }),
  ]);
  expect(modules).toContainEqual([
    'a store without a player',
    expect.objectContaining({ message: expect.stringContaining('indexedDbStore({ player })') }),
  ]);
  for (const [build, script] of Object.entries(scripts)) {
    const said = await sayAll(page, script, given);
    expect(said, build).toEqual(modules);
    for (const value of [nin, name, 'secret'])
      expect(JSON.stringify(said.map((end) => Array.isArray(end) && end[1])), build).not.toContain(value);
  }
});

test('the page file says that it does not contain encryption', async ({ page }) => {
  const [[, error] = []] = (await sayAll(page, scripts[PAGE_FILE] ?? '', {
    outboxes: [{ encryption: { keys: {}, current: 'a' } }],
    stores: [],
  })) as [unknown, unknown][];
  expect(error).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('encryption: is not in the script-tag file; import location-sdk/outbox'),
  });
});
