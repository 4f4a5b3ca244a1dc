// @module-tag slow: drives Chromium.
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { root } from '../support/run.js';
import { betEvent } from './bet.js';
import { test } from './browser-test.js';
import { grantGeolocation, POSITION } from './geolocation.js';
import { callInWorker } from './in-page.js';
import { serveRelay } from './relay-world.js';

const LOCATION = { latitude: 6.4474, longitude: 7.5139, source: 'terminal' };

test('a worker reports with the location that the page passes, and is as public as its page', async ({
  context,
  page,
  site,
  gateway,
  options,
}) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/empty`);
  const passed = { location: LOCATION };
  const unlocated = { ...options, location: { ip: { enabled: false } } };

  // It has no geolocation.
  expect((await callInWorker(page, 'reportBetEvent', unlocated, betEvent())).error).toMatchObject({
    code: 'location',
    outcome: 'not-sent',
    steps: [{ step: 'browser-geolocation', reason: 'not-available' }],
  });
  // A key is refused unless it is allowed, and functions for the backend are refused.
  const refused = { code: 'configuration', outcome: 'not-sent' };
  const keyed = await callInWorker(page, 'reportBetEvent', { gateways: options.gateways }, betEvent(), passed);
  expect(keyed.error).toMatchObject(refused);
  expect((await callInWorker(page, 'verifyNin', options, { nin: '99012345678' })).error).toMatchObject(refused);
  expect(gateway.requests).toEqual([]);

  const { result } = await callInWorker(page, 'reportBetEvent', options, betEvent(), passed);
  expect(result).toMatchObject({ outcome: 'recorded', reference: 'BET-1', location: LOCATION });
  expect(gateway.recorded()).toMatchObject([{ bet_id: 'BET-1', location: LOCATION }]);
});

declare const LocationSDK: typeof import('../../src/entries/script-tag-relay.js').LocationSDK;

type Told = { receipt?: { outcome: string; location?: object }; text?: string; action?: string };

/** The worker of the guide as a module, as a bundler makes it. */
const MODULE = {
  contents: `import { createClient } from './src/entries/page.ts';
const client = createClient({ relayUrl: '/relay' });
addEventListener('message', async ({ data: { bet, location } }) => {
  postMessage(await client.reportBetEvent(bet, { location }).then((receipt) => ({ receipt }), (error) => ({ error: error.toJSON() })));
});`,
  resolveDir: root,
};

/** In the page: finds the position, and leaves the report to a worker. */
const leaveTo = (page: Page, path: string, type: 'classic' | 'module', bet: object): Promise<Told> =>
  page.evaluate(
    async ([path, type, bet]) => {
      const location = await LocationSDK.createClient({ relayUrl: '/relay' })
        .locate()
        .catch(() => undefined);
      const worker = new Worker(path, { type });
      return new Promise<Told>((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage({ bet, location });
      });
    },
    [path, type, bet] as const,
  );

const leaveToWorker = (page: Page, bet: object) => leaveTo(page, '/worker.js', 'classic', bet);

/** The same with its service worker. */
const leaveToServiceWorker = (page: Page, bet: object): Promise<Told> =>
  page.evaluate(async (bet) => {
    const location = await LocationSDK.createClient({ relayUrl: '/relay' })
      .locate()
      .catch(() => undefined);
    await navigator.serviceWorker.register('/service-worker.js');
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    return new Promise<Told>((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
      active?.postMessage({ bet, location }, [port2]);
    });
  }, bet);

describe.each([
  ['the worker of the guide', leaveToWorker],
  ['the service worker of the guide', leaveToServiceWorker],
])('%s', (_which, leave) => {
  test("reports through the relay with the session of its page, and with the position that the page has found, or gives the player's message", async ({
    context,
    page,
    onTestFinished,
  }) => {
    const world = await serveRelay();
    onTestFinished(world.close);
    await grantGeolocation(context);
    await page.goto(world.url);
    expect(await leave(page, { bet_id: 'B-1', amount: 1500 })).toEqual({
      text: expect.stringContaining('Log in'),
      action: 'log-in',
    });
    expect(world.gateway.reports()).toEqual([]);

    await context.addCookies([{ name: 'session', value: 'ada', url: world.url, httpOnly: true, sameSite: 'Strict' }]);
    expect(await leave(page, { bet_id: 'B-1', amount: 1500 })).toMatchObject({
      receipt: { outcome: 'recorded', location: { source: 'gps' } },
    });
    expect(world.gateway.reports()).toMatchObject([
      { reference: 'B-1', body: { location: { ...POSITION, source: 'gps' } } },
    ]);
  });
});

test('a worker that is a module reports through the relay', async ({ context, page, onTestFinished }) => {
  const { outputFiles } = await build({ stdin: MODULE, bundle: true, format: 'esm', write: false, logLevel: 'error' });
  const world = await serveRelay({ scripts: { '/module-worker.js': outputFiles[0]?.text ?? '' } });
  onTestFinished(world.close);
  await context.addCookies([{ name: 'session', value: 'ada', url: world.url }]);
  await grantGeolocation(context);
  await page.goto(world.url);

  expect(await leaveTo(page, '/module-worker.js', 'module', { bet_id: 'B-1', amount: 1500 })).toMatchObject({
    receipt: { outcome: 'recorded' },
  });
  expect(world.gateway.reports()).toMatchObject([{ reference: 'B-1', body: { location: { source: 'gps' } } }]);
});
