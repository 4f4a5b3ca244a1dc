import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { violationsOf } from '../browser/violations.js';
import { freePort } from '../support/free-port.js';
import { type Example, installExample, type Started } from './example.js';
import { startGateway } from './gateway.js';

/** The example of React, built by Vite and served by its own backend; and Vite's server in front of that backend. */

const POSITION = { latitude: 6.4474, longitude: 7.5139, accuracy: 20 };
const ALLOWED: BrowserContextOptions = { permissions: ['geolocation'], geolocation: POSITION };

let example: Example;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
let backend: Started;
let site: string;

beforeAll(async () => {
  example = await installExample('react');
  await example.run('npm', 'run', 'build');
  gateway = await startGateway(example);
  browser = await launchChromium();
  const port = String(await freePort());
  backend = await example.start(/http:/, { PORT: port, LOCATION_SDK_MOCK: gateway.url }, 'npm', 'start');
  site = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await example?.remove();
});

async function open(options: BrowserContextOptions = ALLOWED, url = site): Promise<Page> {
  gateway.gateway.reset();
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Bet' }).waitFor();
  return page;
}

const says = (page: Page, words: string) =>
  page.getByRole('status').filter({ hasText: words }).waitFor({ timeout: 60_000 });
const reports = () => gateway.gateway.reports();

test('a bet is reported, and each press is a separate bet', async () => {
  const page = await open();
  for (const count of [1, 2]) {
    await page.getByRole('button', { name: 'Bet' }).click();
    await expect.poll(() => reports().length).toBe(count);
    await says(page, 'Your bet is recorded.');
  }
  expect(reports()).toMatchObject(Array(2).fill({ body: { amount: 1500, location: { source: 'gps' } } }));
});

test('the button is marked as disabled while a bet is being sent, and a second press at the same moment is ignored', async () => {
  const page = await open();
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route('**/relay/*', (route) => gate.then(() => route.continue()));
  await page.evaluate(() => {
    const button = document.querySelector('button');
    button?.click();
    button?.click();
  });
  await says(page, 'One moment …');
  expect(await page.getByRole('button').getAttribute('aria-disabled')).toBe('true');
  go();
  await says(page, 'Your bet is recorded.');
  expect(reports()).toHaveLength(1);
});

test('a report in doubt is sent again, and counts once', async () => {
  const page = await open();
  gateway.gateway.faults.add({ kind: 'connection-reset', when: 'after', times: null });
  await page.getByRole('button', { name: 'Bet' }).click();
  await says(page, 'We do not know yet whether this went through.');
  expect(await violationsOf(page)).toEqual([]);
  gateway.gateway.faults.clear();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await says(page, 'Your bet is recorded.');
  expect(reports()).toHaveLength(1);
  await page.getByRole('button', { name: 'Bet' }).click();
  await expect.poll(() => reports().length).toBe(2);
});

test('a player without a location gets advice, and the same bet is placed afterwards', async () => {
  const page = await open();
  const keys = new Set<string | undefined>();
  page.on('request', (request) => request.url().endsWith('/bets') && keys.add(request.headers()['idempotency-key']));
  const error = { code: 'location', message: 'No location was found.', outcome: 'not-sent', steps: [] };
  await page.route('**/relay/*', (route) =>
    route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) }),
  );
  await page.getByRole('button', { name: 'Bet' }).click();
  await says(page, 'Allow this site to use your location, and try again.');
  expect(await violationsOf(page)).toEqual([]);
  await page.unroute('**/relay/*');
  await page.getByRole('button', { name: 'Bet' }).click();
  await says(page, 'Your bet is recorded.');
  expect(keys.size).toBe(1);
});

test('a player whose session has ended gets a message, and the button keeps the focus', async () => {
  const page = await open();
  const told: string[] = [];
  page.on('console', (message) => told.push(message.text()));
  const error = { code: 'authentication', message: 'There is no session.', outcome: 'not-sent' };
  await page.route('**/relay/*', (route) =>
    route.fulfill({ status: 401, contentType: 'application/json', body: JSON.stringify({ error }) }),
  );
  await page.getByRole('button', { name: 'Bet' }).click();
  await says(page, 'You are logged out. Log in, and try again.');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BUTTON');
  expect(told.join('\n')).toContain('reportBetEvent');
});

test("Vite's server passes the page's own Host on, so that the relay takes it", async () => {
  const port = String(await freePort());
  const vite = await example.start(/Local:/, { BACKEND: site }, 'npx', 'vite', '--host', '127.0.0.1', '--port', port);
  const page = await open(ALLOWED, `http://127.0.0.1:${port}`);
  await page.getByRole('button', { name: 'Bet' }).click();
  await says(page, 'Your bet is recorded.');
  await vite.stop();
  expect(backend.output()).not.toContain('was refused');
});

test('the bundle grows by at most the size of the page file with a relay', async () => {
  const sizeIn = (folder: string) => {
    const assets = join(example.folder, folder, 'assets');
    const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
    return gzipSync(Buffer.concat(scripts.map((name) => readFileSync(join(assets, name)))), { level: 9 }).byteLength;
  };
  writeFileSync(
    join(example.folder, 'nothing.js'),
    'export const createClient = () => ({}), isReportingError = () => false, playerMessage = () => ({});\n',
  );
  const config = `import own from './vite.config.js';
export default { ...own, resolve: { alias: { 'location-sdk/page': new URL('./nothing.js', import.meta.url).pathname } }, build: { outDir: 'without' } };
`;
  writeFileSync(join(example.folder, 'without.config.js'), config);
  await example.run('npx', 'vite', 'build', '--config', 'without.config.js');
  const file = readFileSync(join(example.folder, 'node_modules/location-sdk/dist/location-sdk.relay.global.js'));
  const limit = gzipSync(file, { level: 9 }).byteLength;
  const growth = sizeIn('dist') - sizeIn('without');
  expect(growth).toBeGreaterThan(10_000);
  expect(growth).toBeLessThanOrEqual(limit);
});
