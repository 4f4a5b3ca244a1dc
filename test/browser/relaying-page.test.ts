// @module-tag slow: drives the page of the tutorial with a relay.
import type { BrowserContext, Page, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inlineScripts } from '../support/code-blocks.js';
import { badNetwork } from './bad-network.js';
import { bet, buttonOf, CASES, ended, NO_ANSWER, openBet, stakeOf, WAIT } from './bet-page.js';
import { test as base } from './browser-test.js';
import { INSECURE_HOST } from './chromium.js';
import { grantGeolocation, POSITION } from './geolocation.js';
import { betsIn, codeOf, PAGE, startTutorial } from './tutorial-site.js';
import { violationsOfSnippet } from './violations.js';

const HTML = codeOf('page-with-relay', PAGE);
const TAG = '<script src="/location-sdk.relay.global.js">';
const UNFIT_HASH = `${TAG.slice(0, -1)} integrity="sha384-${Buffer.alloc(48).toString('base64')}">`;

const PLACED = 'This went through.';
const words = { placed: () => PLACED, placedBefore: () => PLACED };

/** Page, server and relay of the tutorial, over the mock gateway of the test. */
const test = base.extend('world', async ({ context, gateway }, { onCleanup }) => {
  const site = await startTutorial('page-with-relay', gateway.url);
  const { url, exchanges, close } = await badNetwork(site.url, () => ({}));
  onCleanup(async () => void (await Promise.all([close(), site.close()])));
  await grantGeolocation(context);
  /** The keys of the bets, and the bodies of the reports, in the order of the page's requests. */
  const keys: unknown[] = [];
  const reports: (string | null)[] = [];
  context.on('request', (request) => {
    if (request.url() === `${url}/bets`) keys.push(request.postDataJSON().key);
    if (request.url().startsWith(`${url}/relay/`)) reports.push(request.postData());
  });
  const amounts = async () => gateway.gateway.reports().map(({ body }) => Number(body.amount));
  const bets = () => [...betsIn(exchanges).values()];
  return { context, url, words, amounts, bets, keys, reports, gateway: gateway.gateway };
});

/** Lets a function answer the page's requests to the relay. */
const atRelay = (context: BrowserContext, answer: (route: Route) => unknown) =>
  context.route('**/relay/*', async (route) => void (await answer(route)));

const seen = async (page: Page) => ({
  text: await page.getByRole('status').innerText(),
  disabled: await buttonOf(page).isDisabled(),
});

test('the script of the page has at most 20 lines, and knows neither doubt nor keys', { tags: 'slice' }, () => {
  const [script = ''] = inlineScripts(HTML);
  expect(script.trim().split('\n').length).toBeLessThanOrEqual(20);
  expect(script).not.toMatch(/resend|outcome|unknown|key|Storage|\?\?=|AbortSignal|randomUUID/);
});

test('it reports the bet with the position, and its console stays empty', { tags: 'slice' }, async ({ world }) => {
  const page = await openBet(world);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await bet(page);
  await ended(page, PLACED);
  expect(world.gateway.reports()).toMatchObject([
    { body: { amount: 1500, location: { ...POSITION, source: 'gps' } }, reference: expect.stringMatching(/^BET-/) },
  ]);
  expect(complaints).toEqual([]);
});

describe('as players press', () => {
  for (const [what, drive] of Object.entries(CASES)) test(what, async ({ world }) => drive(world));
});

test('it waits for the relay with its button disabled, so that a second press does nothing', async ({ world }) => {
  const page = await openBet(world);
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  await atRelay(world.context, (route) => gate.then(() => route.continue()));
  await bet(page);
  await expect.poll(() => world.reports.length).toBe(1);
  expect(await seen(page)).toEqual({ text: WAIT, disabled: true });
  await page.evaluate(() => document.querySelector('button')?.click());
  go();
  await ended(page, PLACED);
  expect([world.keys.length, world.reports.length]).toEqual([1, 1]);
  expect(await world.amounts()).toEqual([1500]);
});

describe('if the gateway records the report and its answers are lost', () => {
  const loseAnswers = ({ gateway }: { gateway: { faults: { add(fault: object): void } } }) =>
    gateway.faults.add({ kind: 'connection-reset', when: 'after', times: null });

  test('the same press asks again, and gets the receipt once an answer comes', async ({ world }) => {
    const page = await openBet(world);
    loseAnswers(world);
    await bet(page);
    await ended(page, NO_ANSWER);
    expect(await stakeOf(page).inputValue()).toBe('1500');
    await buttonOf(page).click();
    await ended(page, NO_ANSWER);
    world.gateway.faults.clear();
    await buttonOf(page).click();
    await ended(page, PLACED);
    expect(await stakeOf(page).inputValue()).toBe('');
    expect(new Set(world.keys).size).toBe(1);
    expect(await world.amounts()).toEqual([1500]);
  });

  test('the same stake gets the receipt after a reload, from another place and in another tab', async ({ world }) => {
    const page = await openBet(world);
    for (const stake of [100, 200]) {
      loseAnswers(world);
      await bet(page, stake);
      await ended(page, NO_ANSWER);
      world.gateway.faults.clear();
    }
    await page.reload();
    await world.context.setGeolocation({ latitude: 9.06, longitude: 7.49, accuracy: 30 });
    await bet(page, 100);
    await ended(page, PLACED);
    const other = await openBet(world);
    await bet(other, 200);
    await ended(other, PLACED);
    expect(new Set(world.keys).size).toBe(2);
    expect(world.gateway.reports()).toMatchObject(
      [100, 200].map((amount) => ({ body: { amount, location: { latitude: POSITION.latitude } } })),
    );
  });
});

test('without a network after the bet was placed, its report is sent when the network is back', async ({ world }) => {
  const page = await openBet(world);
  await atRelay(world.context, async (route) => {
    await world.context.setOffline(true);
    await route.abort('internetdisconnected');
  });
  await bet(page);
  await ended(page, 'You are offline. Connect to the internet, and ask again: it cannot count twice.');
  await world.context.unroute('**/relay/*');
  await world.context.setOffline(false);
  await buttonOf(page).click();
  await ended(page, PLACED);
  expect(new Set(world.keys).size).toBe(1);
  expect(await world.amounts()).toEqual([1500]);
});

test('a bet that the gateway refuses keeps its key over a reload, until the gateway has its report', async ({
  world,
}) => {
  const page = await openBet(world);
  world.gateway.faults.add({ kind: 'status', status: 422 });
  await bet(page);
  await ended(page, 'This was refused. Contact support.');
  await page.reload();
  await bet(page);
  await ended(page, PLACED);
  expect(new Set(world.keys).size).toBe(1);
  await bet(page, 700);
  await ended(page, PLACED);
  expect(new Set(world.keys).size).toBe(2);
  expect(await world.amounts()).toEqual([1500, 700]);
});

const location = { code: 'location', outcome: 'not-sent', steps: [] };
const later = { code: 'rate-limited', retryAfterMs: 60_000 };
const REFUSALS = [
  [503, location, 'We could not tell where you are. Allow the use of your location, and try again.', 1],
  [503, { code: 'network', outcome: 'not-sent' }, 'The service is busy. Try again in a minute.', 1],
  // First the relay has no time, then the gateway.
  [429, { ...later, outcome: 'not-sent' }, 'The service is busy. Try again in 60 s.', 1],
  [429, { ...later, outcome: 'rejected' }, 'The service is busy. Try again in 60 s.', 1],
  [422, { code: 'unprocessable', outcome: 'rejected' }, 'This was refused. Contact support.', 1],
  [401, { code: 'authentication', outcome: 'not-sent' }, 'You are logged out. Log in, and try again.', 1],
  // The gateway refuses the operator's key: no login of the player helps.
  [502, { code: 'authentication', outcome: 'rejected' }, 'This does not work at the moment. Contact support.', 1],
  [
    409,
    { code: 'duplicate', outcome: 'rejected', conflict: true },
    'This was recorded with other details. Contact support.',
    2,
  ],
] as const;

for (const [status, error, text, bets] of REFUSALS)
  test(`${error.code} (${status}, ${error.outcome}) of the relay is shown in its words, and ends the bet only if it is over`, async ({
    world,
  }) => {
    const page = await openBet(world);
    const body = { error: { message: 'The relay says why.', ...error } };
    await atRelay(world.context, (route) => route.fulfill({ status, json: body }));
    await bet(page);
    await ended(page, text);
    expect(await stakeOf(page).inputValue()).toBe(bets === 1 ? '1500' : '');
    await world.context.unroute('**/relay/*');
    // After a success the same stake within a second is a double click.
    if (bets === 2) await page.waitForTimeout(1_100);
    await bet(page);
    await ended(page, PLACED);
    expect(new Set(world.keys).size).toBe(bets);
    expect(await world.amounts()).toEqual([1500]);
  });

test('it is accessible, with advice too', async ({ browser, world }) => {
  const context = await browser.newContext({ bypassCSP: true });
  await atRelay(context, (route) => route.fulfill({ status: 503, json: { error: { message: 'No.', ...location } } }));
  const page = await openBet({ ...world, context });
  await bet(page);
  await ended(page, REFUSALS[0][2]);
  expect(await violationsOfSnippet(page)).toEqual([]);
  await context.close();
});

for (const [what, change, host] of [
  ['the script is blocked', (html: string) => html, undefined],
  ['the script has another hash', (html: string) => html.replace(TAG, UNFIT_HASH), undefined],
  ['an option is wrong', (html: string) => html.replace("'/relay'", "'ftp://relay'"), undefined],
  ['the page came over plain HTTP', (html: string) => html, INSECURE_HOST],
] as const)
  test(`if ${what}, nothing can be pressed, and a text says what the player can do`, async ({
    page,
    world,
    uncaught,
  }) => {
    if (what === 'the script is blocked') await page.route('**/location-sdk.relay.global.js', (route) => route.abort());
    expect(HTML).toContain(TAG);
    await page.route(/^http:\/\/[^/]+\/$/, (route) =>
      route.fulfill({ contentType: 'text/html; charset=utf-8', body: change(HTML) }),
    );
    const failed = page.waitForEvent('pageerror');
    await page.goto(host ? world.url.replace('127.0.0.1', host) : world.url);
    // For the developer, in the console.
    expect((await failed).message).toMatch(/LocationSDK|relayUrl/);
    expect(await seen(page)).toEqual({ text: 'One moment. If this text stays, contact support.', disabled: true });
    uncaught.splice(0);
  });
