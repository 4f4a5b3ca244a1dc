import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bet, CASES, ended, openBet, PLACED } from '../browser/bet-page.js';
import { launchChromium } from '../browser/chromium.js';
import { grantGeolocation, POSITION } from '../browser/geolocation.js';
import { violationsByScheme } from '../browser/violations.js';
import { freePort } from '../support/free-port.js';
import { type Example, installExample, PLAYER_REFUSED, refusalOfPlayer, TOO_NEW } from './example.js';
import { startGateway } from './gateway.js';

/** The example of React, built by Vite and served by its own backend; and Vite's server in front of that backend. */

let example: Example;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
let context: BrowserContext;
let site: string;

beforeAll(async () => {
  example = await installExample('react');
  await example.run('npm', 'run', 'build');
  gateway = await startGateway(example);
  browser = await launchChromium();
  const port = String(await freePort());
  await example.start(/http:/, { PORT: port, LOCATION_SDK_MOCK: gateway.url }, 'npm', 'start');
  site = `http://127.0.0.1:${port}/`;
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

const world = (url = site) => ({
  context,
  url,
  amounts: async () => gateway.gateway.reports().map(({ body }) => Number(body.amount)),
});

test('a bet is reported with the position, and the page is accessible', async () => {
  const page = await openBet(world());
  await bet(page);
  await ended(page, PLACED);
  expect(await violationsByScheme(page)).toEqual([]);
  await expect.poll(() => gateway.gateway.reports()).toHaveLength(1);
  expect(gateway.gateway.reports()[0]?.body).toMatchObject({ amount: 1500, location: { ...POSITION, source: 'gps' } });
});

describe('as players press', () => {
  for (const [what, drive] of Object.entries(CASES)) test(what, () => drive(world()));
});

test("Vite's server forwards the bets", async () => {
  const port = String(await freePort());
  const vite = await example.start(/Local:/, { BACKEND: site }, 'npx', 'vite', '--host', '127.0.0.1', '--port', port);
  const page = await openBet(world(`http://127.0.0.1:${port}/`));
  await bet(page);
  await ended(page, PLACED);
  await vite.stop();
});

test('the build refuses a payload with the player', async () => {
  const refusal = await refusalOfPlayer(example, 'src/bet.tsx', 'npm', 'run', 'build');
  expect(refusal).toMatch(/^src\/bet\.tsx/m);
  expect(refusal).toMatch(PLAYER_REFUSED);
});

test('older phones can read the bundle', () => {
  expect(example.scriptsIn('dist/page')).not.toMatch(TOO_NEW);
});

test('the bundle grows by at most 6 kB', async () => {
  const sizeIn = (folder: string) => gzipSync(example.scriptsIn(folder), { level: 9 }).byteLength;
  writeFileSync(join(example.folder, 'nothing.js'), 'export const postOnce = async () => ({});\n');
  const config = `import own from './vite.config.ts';
export default { ...own, resolve: { alias: { 'location-sdk/page': new URL('./nothing.js', import.meta.url).pathname } }, build: { ...own.build, outDir: 'without' } };
`;
  writeFileSync(join(example.folder, 'without.config.js'), config);
  await example.run('npx', 'vite', 'build', '--config', 'without.config.js');
  const growth = sizeIn('dist/page') - sizeIn('without');
  expect(growth).toBeGreaterThan(2_000);
  expect(growth).toBeLessThanOrEqual(6_000);
});
