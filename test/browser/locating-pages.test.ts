// @module-tag slow: drives the pages that people copy.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { createClient, pageLocation, playerMessage } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../src/entries/outbox.js';
import { codeBlocks, inlineScripts } from '../support/code-blocks.js';
import { betUser } from '../support/factories.js';
import { listen } from '../support/listen.js';
import { root } from '../support/run.js';
import { answerLost, CASES, NO_ANSWER, openBet } from './bet-page.js';
import { test as base } from './browser-test.js';
import { OTHER_SITE } from './chromium.js';
import { grantGeolocation, POSITION } from './geolocation.js';
import { readScript } from './script-file.js';
import { violationsOfSnippet } from './violations.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const SCRIPT = '/location-sdk.locate.global.js';

/** Exactly the page of a document or an example. */
function pageOf(name: string): string {
  const code = name.endsWith('.html')
    ? read(name)
    : codeBlocks(read(name)).find(({ language, code }) => language === 'html' && code.includes(SCRIPT))?.code;
  if (!code) throw new Error(`${name} has no page.`);
  return code.includes('<title>') ? code : `<!doctype html><html lang="en"><title>Operator</title>${code}</html>`;
}

const PAGES = ['README.md', 'docs/start/page.md', 'examples/bet.html'];

const scriptOf = (name: string) =>
  inlineScripts(pageOf(name))
    .join('\n')
    .trim()
    .split('\n')
    .map((line) => line.trim());

/** The backend of the tutorial, with the sources of the package. */
const test = base.extend('world', async ({ context }, { onCleanup }) => {
  const gateway = createMockGateway();
  const outbox = createOutbox({ client: createClient(gateway.clientOptions()), store: memoryStore() });
  outbox.start();
  let page = pageOf('docs/start/page.md');
  const bets = new Map<string, Promise<string>>();
  const place = async ({ stake, location }: { stake: number; location?: unknown }) => {
    const bet_id = `BET-${bets.size}`;
    await outbox.reportBetEvent(
      { bet_id, amount: stake, user: betUser() },
      { location: pageLocation(location), clientIP: '102.89.23.47' },
    );
    return bet_id;
  };
  const server = createServer(async (request, response) => {
    if (request.url === SCRIPT)
      return response.setHeader('content-type', 'text/javascript').end(readScript(SCRIPT.slice(1)));
    if (request.url !== '/bets') return response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    const body = (await json(request)) as { key: string; stake: number };
    const before = bets.get(body.key);
    const placed = before ?? place(body);
    bets.set(body.key, placed);
    const message = `Your bet of ${body.stake} ${before ? 'was placed before' : 'is placed'}.`;
    const answer = await placed.then(
      (bet_id) => ({ bet_id, message }),
      (error) => ({ message: playerMessage(error).text }),
    );
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  const { url, close } = await listen(server);
  onCleanup(async () => {
    await outbox.stop();
    await close();
  });
  await grantGeolocation(context);
  return {
    context,
    url,
    gateway,
    amounts: async () => gateway.reports().map(({ body }) => Number(body.amount)),
    serve: (name: string) => {
      page = pageOf(name);
    },
  };
});

test('the page of the readme, the tutorial and the example is the same, in at most 20 lines', { tags: 'slice' }, () => {
  const [first, ...others] = PAGES.map(scriptOf);
  for (const other of others) expect(other).toEqual(first);
  expect(first?.length).toBeLessThanOrEqual(20);
  expect(first?.join('\n')).not.toMatch(/resend|outcome|unknown|createClient/);
});

describe.each(PAGES)('the page of %s', (name) => {
  test('reports the position, and is accessible', async ({ world }) => {
    world.serve(name);
    await CASES['one press places one bet, spends the slip and keeps the focus']?.(world);
    expect(world.gateway.reports()[0]?.body).toMatchObject({ location: { ...POSITION, source: 'gps' } });
    expect(await violationsOfSnippet(await openBet(world))).toEqual([]);
  });

  test('if its script does not load, nothing can be pressed, and a text says what the player can do', async ({
    world,
    context,
    page,
    uncaught,
  }) => {
    world.serve(name);
    await context.route(`**${SCRIPT}`, (route) => route.abort());
    const failed = page.waitForEvent('pageerror');
    await page.goto(world.url);
    expect((await failed).message).toContain('LocationSDK');
    expect(await page.getByRole('button').isDisabled()).toBe(true);
    expect(await page.getByRole('status').innerText()).toBe('One moment. If this text stays, contact support.');
    uncaught.splice(0);
  });
});

describe('as players press', () => {
  for (const [what, drive] of Object.entries(CASES)) test(what, async ({ world }) => drive(world));
});

test('in a frame of another site the page places one bet, also after a reload of the outer page', async ({ world }) => {
  const frame = `<!doctype html><title>Partner</title><iframe src="${world.url}" allow="geolocation"></iframe>`;
  const partner = await listen(
    createServer((_, response) => response.setHeader('content-type', 'text/html').end(frame)),
  );
  const page = await world.context.newPage();
  const press = async (words: string) => {
    const inside = page.frameLocator('iframe');
    await inside.getByLabel('Stake').fill('1500');
    await inside.getByRole('button').click();
    await inside.getByRole('status').filter({ hasText: words }).waitFor({ timeout: 20_000 });
  };
  await page.goto(partner.url.replace('127.0.0.1', OTHER_SITE));
  await world.context.route('**/bets', answerLost, { times: 1 });
  await press(NO_ANSWER);
  await page.reload();
  await press('Your bet of 1500 was placed before.');
  expect(world.gateway.reports()).toMatchObject([{ body: { amount: 1500, location: { source: 'gps' } } }]);
  await partner.close();
});
