import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bet, CASES, ended, openBet, PLACED, pressTwice } from '../browser/bet-page.js';
import { launchChromium } from '../browser/chromium.js';
import { grantGeolocation, POSITION } from '../browser/geolocation.js';
import { violationsOf } from '../browser/violations.js';
import { freePort } from '../support/free-port.js';
import { root } from '../support/run.js';
import { type Example, installExample } from './example.js';
import { startGateway } from './gateway.js';

/** The pages in Vue, Svelte and jQuery, built by Vite, over the backend of the React example. */

let example: Example;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
let context: BrowserContext;
let site: string;

beforeAll(async () => {
  example = await installExample('vue-svelte-jquery');
  cpSync(join(root, 'examples/react/server.js'), join(example.folder, 'server.js'));
  await example.run('npm', 'run', 'build');
  gateway = await startGateway(example);
  browser = await launchChromium();
  const port = String(await freePort());
  await example.start(/http:/, { PORT: port, LOCATION_SDK_MOCK: gateway.url }, 'npm', 'start');
  site = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await example?.remove();
});

beforeEach(async () => {
  gateway.gateway.reset();
  context = await browser.newContext();
  await grantGeolocation(context);
});

afterEach(() => context.close());

describe.each(['vue', 'svelte', 'jquery'])('%s', (name) => {
  const world = () => ({
    context,
    url: `${site}/${name}.html`,
    amounts: async () => gateway.gateway.reports().map(({ body }) => Number(body.amount)),
  });

  test('reports the position, and is accessible', async () => {
    const page = await openBet(world());
    await bet(page);
    await ended(page, PLACED);
    expect(await violationsOf(page)).toEqual([]);
    await expect.poll(() => gateway.gateway.reports()).toHaveLength(1);
    expect(gateway.gateway.reports()[0]?.body).toMatchObject({ location: { ...POSITION, source: 'gps' } });
  });

  for (const latencyMs of [0, 150])
    for (const apartMs of [60, 300, 900])
      test(`pressed twice, ${apartMs} ms apart, with ${latencyMs} ms of latency`, () =>
        pressTwice(world(), apartMs, latencyMs));
  for (const [what, drive] of Object.entries(CASES)) test(what, () => drive(world()));
});
