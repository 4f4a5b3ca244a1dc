import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bet, CASES, ended, openBet, PLACED } from '../browser/bet-page.js';
import { launchChromium } from '../browser/chromium.js';
import { grantGeolocation, POSITION } from '../browser/geolocation.js';
import { violationsByScheme } from '../browser/violations.js';
import { freePort } from '../support/free-port.js';
import { type Example, installExample, PLAYER_REFUSED, refusalOfPlayer, type Started, TOO_NEW } from './example.js';
import { startGateway } from './gateway.js';

/** The example of Next.js, built and started. */

let example: Example;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
let port: number;
let started: Started;
let built: string;
let site: string;
const start = () => {
  const variables = {
    LOCATION_SDK_MOCK: gateway.url,
    OUTBOX_FILE: join(example.folder, 'outbox.db'),
  };
  return example.start(/Ready in/, variables, 'npx', 'next', 'start', '--port', String(port));
};

beforeAll(async () => {
  example = await installExample('next');
  built = await example.run('npm', 'run', 'build');
  gateway = await startGateway(example);
  browser = await launchChromium();
  port = await freePort();
  site = `http://127.0.0.1:${port}`;
  started = await start();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await example?.remove();
});

let context: BrowserContext;
let complaints: string[];

beforeEach(async () => {
  gateway.gateway.reset();
  context = await browser.newContext();
  await grantGeolocation(context);
  complaints = [];
  context.on('page', (page) => {
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  });
});

afterEach(() => context.close());

const world = () => ({
  context,
  url: site,
  amounts: async () => gateway.gateway.reports().map(({ body }) => Number(body.amount)),
});

test('next build prerenders the page, and older phones can read its scripts', () => {
  expect(built).toMatch(/○ \//);
  expect(built).toMatch(/ƒ \/bets/);
  expect(example.scriptsIn('.next/static')).not.toMatch(TOO_NEW);
});

test('the build reads the types, and they refuse a payload with the player', async () => {
  expect(built).toMatch(/Finished TypeScript/);
  // Not `next build` again: the pages of these tests come from the first one.
  const refusal = await refusalOfPlayer(example, 'app/bet.tsx', 'npx', 'tsc');
  expect(refusal).toMatch(/^app\/bet\.tsx/m);
  expect(refusal).toMatch(PLAYER_REFUSED);
});

test('a bet is reported through the outbox, and the page is accessible', async () => {
  const page = await openBet(world());
  await bet(page);
  await ended(page, PLACED);
  await expect.poll(() => gateway.gateway.reports().length, { timeout: 30_000 }).toBe(1);
  expect(gateway.gateway.reports()[0]?.body).toMatchObject({
    amount: 1500,
    user: { user_id: 'U-88412' },
    location: { ...POSITION, source: 'gps' },
  });
  expect(complaints).toEqual([]);
  expect(await violationsByScheme(page)).toEqual([]);
});

describe('as players press', () => {
  for (const [what, drive] of Object.entries(CASES)) test(what, () => drive(world()));
});

test("a bet placed while the gateway is down is reported after the server was restarted, before any page's request", async () => {
  gateway.gateway.faults.add({ kind: 'connection-reset', times: null });
  const page = await openBet(world());
  await bet(page, 900);
  await ended(page, 'Your bet of 900 is placed.');
  await started.stop();
  gateway.gateway.faults.clear();
  started = await start();
  await expect.poll(world().amounts, { timeout: 60_000 }).toEqual([900]);
});
