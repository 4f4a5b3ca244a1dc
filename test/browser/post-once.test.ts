// @module-tag slow: drives Chromium.
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { LocationSDK as LocationSdk } from '../../src/entries/script-tag-locate.js';
import { listen } from '../support/listen.js';
import { test } from './browser-test.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof LocationSdk;

const IN_DOUBT = 'We do not know yet whether this went through. Ask again: it cannot count twice.';

type Answering = (response: ServerResponse, key: string) => void;

/** A backend that places each key once, behind answers of all kinds. */
async function backend() {
  const keys: string[] = [];
  const paths: string[] = [];
  let answering: Answering | undefined;
  const place: Answering = (response, key) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ bet_id: `BET-${key}` }));
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? '');
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html');
      return response.end(`<script>${readScript('location-sdk.locate.global.js')}</script>`);
    }
    const { key } = (await json(request)) as { key: string };
    keys.push(key);
    (answering ?? place)(response, key);
  });
  const { url, close } = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await close();
  });
  return {
    url,
    keys,
    paths,
    place,
    answer: (next: Answering | undefined) => {
      answering = next;
    },
  };
}

async function open(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const post = (page: Page, url = '/bets', timeoutMs = 30_000) =>
  page.evaluate(([at, limit]) => LocationSDK.postOnce(at, { stake: 1 }, { location: null, timeoutMs: limit }), [
    url,
    timeoutMs,
  ] as const);

const different = (keys: readonly string[]) => new Set(keys).size;

test.for<[what: string, answering: Answering]>([
  ['an answer that never ends', (response) => response.write('{"bet_id":"BET-1",')],
  ['an answer that breaks off', (response) => response.write('{"bet_id":"B', () => response.destroy())],
  ['no content', (response) => response.writeHead(204).end()],
  ['a list', (response) => response.end('[{"bet_id":"BET-1"}]')],
  ['a bet whose id is a number', (response) => response.end('{"bet_id":1}')],
  ['a redirect to a page', (response) => response.writeHead(302, { location: '/' }).end()],
  ['a redirect to itself', (response) => response.writeHead(307, { location: '/bets' }).end()],
  ['a redirect to another origin', (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['a page of a proxy', (response) => response.writeHead(403).end('<html>Blocked</html>')],
])('%s leaves the bet in doubt, and the next press has its key', async ([, answering], { context }) => {
  const { url, keys, answer } = await backend();
  const page = await open(context, url);
  answer(answering);
  expect(await post(page, '/bets', 2_000)).toEqual(expect.objectContaining({ isOver: false, message: IN_DOUBT }));
  answer(undefined);
  expect(await post(page)).toMatchObject({ isOver: true });
  expect(different(keys)).toBe(1);
  // The key of a placed bet stays for a second.
  await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
});

test('an answer with a byte order mark, and one after a repeated POST (307), is read', async ({ context }) => {
  const { url, keys, answer, place } = await backend();
  const page = await open(context, url);
  answer((response) => response.end('\ufeff{"bet_id":"BET-1"}'));
  expect(await post(page)).toMatchObject({ isOver: true, bet_id: 'BET-1' });
  answer((response, key) => {
    answer(place);
    response.writeHead(307, { location: '/v2/bets' }).end(key);
  });
  expect(await post(page, '/v1/bets')).toMatchObject({ isOver: true });
  expect([keys.length, different(keys)]).toEqual([3, 2]);
});

test('a page that is left while the answer is awaited asks with the same key', async ({ context }) => {
  const { url, keys, answer } = await backend();
  const page = await open(context, url);
  answer(() => {});
  await page.evaluate(() => void LocationSDK.postOnce('/bets', { stake: 1 }, { location: null }));
  await expect.poll(() => keys.length).toBe(1);
  await page.reload();
  answer(undefined);
  expect(await post(page)).toMatchObject({ isOver: true });
  expect([keys.length, different(keys)]).toEqual([2, 1]);
});

test('a full storage keeps the key in the tab; another script that clears it, too', async ({ context }) => {
  const { url, keys, answer } = await backend();
  const page = await open(context, url);
  answer((response) => response.writeHead(503).end());
  await page.evaluate(() => {
    for (let size = 2 ** 22; size >= 1; size /= 2)
      for (let at = 0; at < 2; at += 1)
        try {
          localStorage.setItem(`fill ${size} ${at}`, 'x'.repeat(size));
        } catch {
          // It is full for this size.
        }
  });
  await post(page);
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('location')))).toEqual(
    [],
  );
  await page.evaluate(() => localStorage.clear());
  await post(page);
  await page.evaluate(() => localStorage.clear());
  await post(page);
  // After a reload it comes from the storage.
  await page.reload();
  answer(undefined);
  expect(await post(page)).toMatchObject({ isOver: true });
  expect([keys.length, different(keys)]).toEqual([4, 1]);
});

test('the same address in other words, and a tab at another path, have one key; another route has another', async ({
  context,
}) => {
  const { url, keys, paths, answer } = await backend();
  const [page, other] = [await open(context, `${url}/sport/`), await open(context, `${url}/casino/`)];
  answer((response) => response.writeHead(503).end());
  for (const at of ['/sport/bets', 'bets', '../sport/bets', `${url}/sport/bets`]) await post(page, at);
  await post(other, '../sport/bets');
  expect([keys.length, different(keys)]).toEqual([5, 1]);
  await post(other, 'bets');
  expect([paths.at(-1), different(keys)]).toEqual(['/casino/bets', 2]);
});

test('nothing of a withdrawal lies in the storage while it is in doubt', async ({ context }) => {
  const { url, answer } = await backend();
  const page = await open(context, url);
  answer((response) => response.writeHead(503).end());
  await page.evaluate(() =>
    LocationSDK.postOnce(
      '/withdrawals',
      { amount: 5000, account_digits: '6789', bank: 'First Bank' },
      { location: null },
    ),
  );
  const items = await page.evaluate(() => Object.entries(localStorage).flat());
  expect(items).toEqual([
    expect.stringMatching(/^location-sdk:-?\d+,-?\d+$/),
    expect.stringMatching(/^[\da-z-]{10,60}$/),
  ]);
});
