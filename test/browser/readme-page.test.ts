// @module-tag slow: drives the page of the tutorial.
import type { BrowserContext, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { POSITION } from './geolocation.js';
import { violationsOf } from './inspector-test.js';
import { logIn, test } from './operator-site-example.js';

/** The page of the tutorial with a relay, which people copy, on the example site: its routes and its relay are real. */

const code = codeBlocks(readGuides('start/page-with-relay')).find(({ language }) => language === 'html')?.code;
const PAGE = `<!doctype html><html lang="en"><head><title>Operator</title></head><body><main>${code}</main></body></html>`;
const ALLOWED = { permissions: ['geolocation'], geolocation: POSITION };

const says = (page: Page, words: string) =>
  page.getByRole('status').filter({ hasText: words }).waitFor({ timeout: 15_000 });
const press = (page: Page) => page.getByRole('button').click();

/** Opens the page for a logged-in player, and records the key of each placed bet. */
async function openReadme(page: Page, site: string): Promise<{ keys: (string | undefined)[] }> {
  await logIn(page);
  await page.route(`${site}/`, (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
  // This site lets the player choose a stake, which the page of the tutorial does not send.
  await page.route(`${site}/bets`, (route) => route.continue({ postData: JSON.stringify({ stake: 1500 }) }));
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => request.url() === `${site}/bets` && keys.push(request.headers()['idempotency-key']));
  await page.goto(`${site}/`);
  return { keys };
}

/** Lets a function answer the page's requests to the relay. */
const atRelay = (context: BrowserContext, answer: (route: Route) => unknown) =>
  context.route('**/relay/*', async (route) => void (await answer(route)));

const refused = (status: number, error: object) => (route: Route) =>
  route.fulfill({
    status,
    contentType: 'application/json',
    body: JSON.stringify({ error: { message: 'The relay says why.', ...error } }),
  });

test('the page of the tutorial places and reports a bet, and says so', async ({ open, started, reports }) => {
  const { page, complaints } = await open(ALLOWED);
  const { keys } = await openReadme(page, started.site);
  await press(page);
  await says(page, 'Your bet is recorded, with the location from gps.');
  await press(page);
  await expect.poll(reports).toHaveLength(2);
  expect(await reports()).toMatchObject(Array(2).fill({ body: { location: { source: 'gps' } } }));
  expect(new Set(keys).size).toBe(2);
  expect(complaints).toEqual([]);
});

test('it waits with its button disabled, so that a second press does nothing, and keeps the focus', async ({
  open,
  started,
  reports,
}) => {
  const { page } = await open(ALLOWED);
  const { keys } = await openReadme(page, started.site);
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  await atRelay(page.context(), (route) => gate.then(() => route.continue()));
  await press(page);
  await says(page, 'One moment, please.');
  expect(await page.getByRole('button').isDisabled()).toBe(true);
  await page.evaluate(() => document.querySelector('button')?.click());
  go();
  await says(page, 'Your bet is recorded');
  expect(await page.getByRole('button').isEnabled()).toBe(true);
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('button');
  expect(keys).toHaveLength(1);
  expect(await reports()).toHaveLength(1);
});

test('a report in doubt is sent again with the same bytes, and no second bet is placed', async ({
  open,
  started,
  reports,
}) => {
  const { page } = await open(ALLOWED);
  const { keys } = await openReadme(page, started.site);
  await fetch(`${started.gateway}/__admin/faults`, {
    method: 'POST',
    body: JSON.stringify({ kind: 'connection-reset', when: 'after', times: null }),
  });
  const sent: (string | null)[] = [];
  page.on('request', (request) => request.url().includes('/relay/') && sent.push(request.postData()));
  await press(page);
  await says(page, 'We do not know yet whether this went through.');
  await press(page);
  await says(page, 'One moment, please.');
  await says(page, 'We do not know yet whether this went through.');
  await fetch(`${started.gateway}/__admin/faults`, { method: 'DELETE' });
  await press(page);
  await says(page, 'Your bet is recorded');
  expect(keys).toHaveLength(1);
  expect(sent.length).toBeGreaterThan(2);
  expect(new Set(sent).size).toBe(1);
  expect(await reports()).toHaveLength(1);
});

test('without a network the same bet is placed when it is back', async ({ open, started, reports }) => {
  const { page } = await open(ALLOWED);
  const { keys } = await openReadme(page, started.site);
  await page.context().setOffline(true);
  await press(page);
  await says(page, 'Check your connection, and try again.');
  await page.context().setOffline(false);
  await press(page);
  await says(page, 'Your bet is recorded');
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  expect(await reports()).toHaveLength(1);
});

const location = { code: 'location', outcome: 'not-sent', steps: [] };
const later = { code: 'rate-limited', retryAfterMs: 60_000 };

test('it gives advice for each refusal, and is accessible with it', async ({ open, started }) => {
  const { page } = await open({ ...ALLOWED, bypassCSP: true });
  const { keys } = await openReadme(page, started.site);
  for (const [status, error, words, bets] of [
    [503, location, 'Allow the use of your location', 1],
    // First the relay has no time, then the gateway.
    [429, { ...later, outcome: 'not-sent' }, 'The service is busy. Try again in 60 s.', 1],
    [429, { ...later, outcome: 'rejected' }, 'The service is busy. Try again in 60 s.', 1],
    [422, { code: 'unprocessable', outcome: 'rejected' }, 'This was refused. Contact support. (BET-', 1],
    [401, { code: 'authentication', outcome: 'not-sent' }, 'You are logged out. Log in', 1],
    // The gateway refuses the operator's key: no login of the player helps.
    [502, { code: 'authentication', outcome: 'rejected' }, 'This does not work at the moment.', 1],
    [409, { code: 'duplicate', outcome: 'rejected', conflict: true }, 'Something else is recorded in its place.', 2],
  ] as const) {
    keys.length = 0;
    await atRelay(page.context(), refused(status, error));
    await press(page);
    await says(page, words);
    await page.context().unroute('**/relay/*');
    await press(page);
    await says(page, 'Your bet is recorded');
    expect(new Set(keys).size, words).toBe(bets);
  }
  // A page of a guide has no heading.
  expect(
    (await violationsOf(page)).filter((violation) => !JSON.stringify(violation).includes('page-has-heading-one')),
  ).toEqual([]);
});
