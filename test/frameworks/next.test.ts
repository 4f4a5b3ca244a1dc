import { once } from 'node:events';
import { request as ask } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INSECURE_HOST, launchChromium } from '../browser/chromium.js';
import { violationsOf } from '../browser/violations.js';
import { certificateKey, selfSigned } from '../support/certificates.js';
import { freePort } from '../support/free-port.js';
import { type Example, installExample, type Started } from './example.js';
import { startGateway } from './gateway.js';

/**
 * The example of Next.js behind a TLS proxy, like a self-hosted site: its requests name a host that it is not told
 * about.
 */

const POSITION = { latitude: 6.4474, longitude: 7.5139, accuracy: 20 };

let example: Example;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
let port: number;
let started: Started;
let built: string;
let site: string;
const front = createServer({ key: certificateKey, cert: selfSigned }, (request, response) => {
  const passed = ask(
    { port, host: '127.0.0.1', method: request.method, path: request.url, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  passed.on('error', () => response.destroy());
  request.pipe(passed);
});

const start = () => {
  const variables = {
    PUBLIC_ORIGIN: site,
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
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  site = `https://${INSECURE_HOST}:${(front.address() as AddressInfo).port}`;
  started = await start();
});

afterAll(async () => {
  front.close();
  front.closeAllConnections();
  await browser?.close();
  await gateway?.close();
  await example?.remove();
});

async function open(): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    permissions: ['geolocation'],
    geolocation: POSITION,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(site);
  await page.getByRole('button', { name: 'Bet' }).waitFor();
  return { page, complaints };
}

const says = (page: Page, words: string) =>
  page.getByRole('status').filter({ hasText: words }).waitFor({ timeout: 60_000 });

/** A foreign request, with headers that a browser would not send. */
function statusFor(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const all = {
      'content-type': 'application/json',
      'x-location-sdk': '1',
      'sec-fetch-site': 'same-origin',
      ...headers,
    };
    ask({ port, host: '127.0.0.1', method: 'POST', path: '/relay/report-bet-event', headers: all }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end('{"bet_id":"B-1"}');
  });
}

test('next build accepts a client made by a module, and prerenders the page', () => {
  expect(built).toMatch(/○ \//);
  expect(built).toMatch(/ƒ \/relay\/\[event\]/);
});

test('a bet is reported through the relay and the outbox, from a page whose host name the server is not told', async () => {
  const { page, complaints } = await open();
  await page.getByRole('button', { name: 'Bet' }).click();
  await says(page, 'We have your bet.');
  await expect.poll(() => gateway.gateway.reports().length, { timeout: 30_000 }).toBe(1);
  expect(gateway.gateway.reports()[0]?.body).toMatchObject({
    amount: 1500,
    user: { user_id: 'U-88412' },
    location: { ...POSITION, source: 'gps' },
  });
  expect(complaints).toEqual([]);
  expect(await violationsOf(page)).toEqual([]);
});

test('a page of another origin is refused, for any Host and X-Forwarded-Host', async () => {
  const evil = 'https://evil.example';
  for (const headers of [
    {},
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example' },
    { host: new URL(site).host, 'x-forwarded-host': 'evil.example' },
  ])
    expect(await statusFor({ ...headers, origin: evil })).toBe(403);
  expect(started.output()).toContain(
    `a page of ${evil} was refused, since this relay was requested as localhost:${port}`,
  );
  expect(await statusFor({ origin: site })).toBe(403); // accepted, but there is no such bet: `complete` returned null
  expect(gateway.gateway.reports()).toHaveLength(1);
});

test("a report accepted while the gateway is down is recorded after the server was restarted, before any page's request", async () => {
  gateway.gateway.faults.add({ kind: 'connection-reset', times: null });
  const { page } = await open();
  await page.getByRole('button', { name: 'Bet' }).click();
  await says(page, 'We have your bet.');
  await page.context().close();
  await started.stop();
  gateway.gateway.faults.clear();
  started = await start();
  await expect.poll(() => gateway.gateway.reports().length, { timeout: 60_000 }).toBe(2);
});
