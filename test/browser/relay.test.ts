// @module-tag slow: drives Chromium.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser-test.js';
import { grantGeolocation, leavePromptOpen, POSITION } from './geolocation.js';
import type { OperatorSite } from './operator-site.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

/** The limit of a test: machines may be slow. */
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 15_000 });

const bet = { bet_id: 'B-1', amount: 1500, timestamp: String(Math.floor(Date.now() / 1_000)) };

interface Ended {
  outcome: string;
  code?: string;
  attempts: number;
  location?: { source?: string };
  environment?: string;
}

/** In the page, within its policy: reports a bet through the relay, and on request resends a report in doubt. */
const report = (page: Page, options: object = {}, resends = 0): Promise<Ended> =>
  page.evaluate(
    async ([options, bet, resends]) => {
      // In a task of the page's own: code run by a debugger is exempt from the page's policy.
      await new Promise((resolve) => setTimeout(resolve));
      const client = LocationSDK.createClient({ relayUrl: '/location-sdk', retry: { baseMs: 0 }, ...options });
      const toData = (error: unknown) => {
        if (!LocationSDK.isReportingError(error)) throw error;
        return error.toJSON();
      };
      let reported: Promise<unknown> = client.reportBetEvent(bet);
      for (let again = 0; again < resends; again += 1) reported = reported.catch((error) => client.resend(error));
      return reported.catch(toData);
    },
    [options, bet, resends] as const,
  ) as never;

const posts = ({ requests }: OperatorSite) => requests.filter(({ method }) => method === 'POST');

test('a page reports through the relay of its own site, with its position and its session', { tags: 'slice' }, async ({
  context,
  page,
  operator,
  violations,
  complaints,
}) => {
  await grantGeolocation(context);
  await context.addCookies([{ name: 'session', value: 'S-1', url: operator.url }]);
  await page.goto(operator.url);

  const receipt = await report(page);

  expect(receipt).toMatchObject({
    outcome: 'recorded',
    environment: 'staging',
    attempts: 1,
    location: { source: 'gps' },
  });
  const [request, ...others] = operator.requests;
  expect(others).toEqual([]);
  expect(request).toMatchObject({ method: 'POST', path: '/location-sdk/report-bet-event' });
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-location-sdk': '1',
    'sec-fetch-site': 'same-origin',
    origin: operator.url,
    cookie: 'session=S-1',
  });
  for (const name of ['x-api-key', 'referer']) expect(request?.headers[name]).toBeUndefined();
  expect(JSON.parse(request?.body ?? '')).toEqual({ ...bet, location: { ...POSITION, source: 'gps' } });
  expect([violations, complaints]).toEqual([[], []]);
});

test('without a position the relay locates the player, and no lookup service is asked', async ({
  context,
  page,
  operator,
  lookups,
  complaints,
}) => {
  await context.grantPermissions([]);
  await page.goto(operator.url);

  expect(await report(page)).toMatchObject({ outcome: 'recorded', location: { source: 'client_ip' } });
  expect(JSON.parse(operator.requests[0]?.body ?? '')).toEqual(bet);
  expect(lookups.requests).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a relay on another origin gets a preflight first, and the session only if that is configured', async ({
  context,
  page,
  operator,
  violations,
}) => {
  await grantGeolocation(context);
  await context.addCookies([{ name: 'session', value: 'S-1', url: operator.url, sameSite: 'Lax' }]);
  await page.goto(operator.url);
  const relayUrl = `${operator.otherUrl}/location-sdk`;

  expect(await report(page, { relayUrl, relayCredentials: 'include' })).toMatchObject({ outcome: 'recorded' });
  await report(page, { relayUrl });

  const asked = {
    method: 'OPTIONS',
    headers: { origin: operator.url, 'access-control-request-headers': 'content-type,x-location-sdk' },
  };
  expect(operator.requests[0]).toMatchObject(asked);
  expect(posts(operator).map(({ headers }) => headers.cookie)).toEqual(['session=S-1', undefined]);
  expect(violations).toEqual([]);
});

test.for([
  ['the next attempt finds', {}, 0, 2],
  ['resend finds', { retry: { limit: 0 } }, 1, 1],
] as const)(
  'after a lost answer %s that the report is recorded',
  { tags: 'slice' },
  async ([, options, resends, attempts], { context, page, operator }) => {
    operator.script.push('lost');
    await grantGeolocation(context);
    await page.goto(operator.url);
    const relayUrl = `${operator.otherUrl}/location-sdk`;

    expect(await report(page, { relayUrl, ...options }, resends)).toMatchObject({
      outcome: 'already-recorded',
      attempts,
    });
    expect(operator.held.size).toBe(1);
    expect(new Set(posts(operator).map(({ body }) => body)).size).toBe(1);
  },
);

test('a refusal of the relay is the same error in the page, and a login page in its place is not an answer', async ({
  context,
  page,
  operator,
}) => {
  const issues = [{ path: 'amount', code: 'invalid', message: 'is more than the player has' }];
  operator.script.push(
    {
      status: 400,
      body: { error: { code: 'validation', message: 'No.', outcome: 'not-sent', reference: 'B-1', issues } },
    },
    { status: 200, body: '<html>Log in</html>' },
    { status: 401, body: '<html>Log in</html>' },
  );
  await grantGeolocation(context);
  await page.goto(operator.url);

  expect(await report(page)).toMatchObject({
    name: 'ValidationError',
    code: 'validation',
    outcome: 'not-sent',
    status: 400,
    issues,
  });
  expect(await report(page)).toMatchObject({ code: 'authentication', outcome: 'unknown', attempts: 2 });
});

/** In the page: starts a report and does not wait for it. */
const begin = (page: Page, bets: object[], options: object = {}) =>
  page.evaluate(
    ([options, bets]) => {
      const onEvent = ({ type }: { type: string }) => Object.assign(window, { lastEvent: type });
      const client = LocationSDK.createClient({ relayUrl: '/location-sdk', onEvent, ...options });
      for (const bet of bets) client.reportBetEvent(bet as { bet_id: string }).catch(() => {});
    },
    [options, bets] as const,
  );

const leave = (page: Page) => page.evaluate(() => void window.location.assign('/elsewhere'));

const references = ({ held }: OperatorSite) => [...held.keys()].sort();

test('a report that is started right before the page is left arrives, also at a relay on another origin', async ({
  context,
  page,
  operator,
}) => {
  await grantGeolocation(context);
  for (const url of [operator.url, operator.otherUrl]) {
    operator.held.clear();
    await page.goto(operator.url);
    const bets = Array.from({ length: 10 }, (_, index) => ({ ...bet, bet_id: `B-${index}` }));
    await page.evaluate(
      ([bets, relayUrl]) => {
        const client = LocationSDK.createClient({ relayUrl, location: { browser: { enabled: false } } });
        for (const bet of bets) client.reportBetEvent(bet).catch(() => {});
        window.location.assign('/elsewhere');
      },
      [bets, `${url}/location-sdk`] as const,
    );
    await eventually(() => references(operator)).toEqual(bets.map(({ bet_id }) => bet_id));
    await eventually(() => page.url()).toContain('/elsewhere');
  }
});

test('a report that waits for the player to decide on the location is sent without it when the page is left', async ({
  page,
  operator,
}) => {
  await leavePromptOpen(page);
  await page.goto(operator.url);
  await begin(page, [bet]);
  expect(operator.requests).toEqual([]);

  await leave(page);

  await eventually(() => references(operator)).toEqual(['B-1']);
  expect(JSON.parse(operator.held.get('B-1') ?? '')).toEqual(bet);
});

test('a report that waits for its next attempt makes it when the page is left', async ({ context, page, operator }) => {
  operator.script.push({ status: 503, body: { error: { code: 'network', message: 'No.', outcome: 'not-sent' } } });
  await grantGeolocation(context);
  await page.goto(operator.url);
  // Longer than the test may last.
  const waits = {
    retry: { baseMs: 600_000, capMs: 600_000 },
    timeoutMs: 1_200_000,
    location: { browser: { enabled: false } },
  };
  await page.evaluate(() => Object.assign(Math, { random: () => 0.99 }));
  await begin(page, [bet], waits);
  // Only then does it wait: that the operator has the request does not mean that the page has the answer.
  await eventually(() => page.evaluate(() => Reflect.get(window, 'lastEvent'))).toBe('attempt-ended');

  await leave(page);

  await eventually(() => references(operator)).toEqual(['B-1']);
});

test('a closed page still sends the reports that it had started', { tags: 'slice' }, async ({
  context,
  page,
  operator,
}) => {
  await leavePromptOpen(page);
  await page.goto(operator.url);
  await begin(page, [bet]);
  // Another page keeps the browser's profile.
  await context.newPage();

  await page.close({ runBeforeUnload: true });

  await eventually(() => references(operator)).toEqual(['B-1']);
});

test('more reports at once than a browser lets outlive a page are all sent', async ({ context, page, operator }) => {
  await grantGeolocation(context);
  await page.goto(operator.url);
  const many = Array.from({ length: 40 }, (_, index) => ({ ...bet, bet_id: `B-${100 + index}` }));
  const large = Array.from({ length: 4 }, (_, index) => ({
    ...bet,
    bet_id: `L-${index}`,
    metadata: { note: 'x'.repeat(30_000) },
  }));

  await begin(page, [...many, ...large], { retry: { limit: 0 } });

  await eventually(() => references(operator)).toEqual([...many, ...large].map(({ bet_id }) => bet_id).sort());
  expect(posts(operator)).toHaveLength(44);
});

test('space used by other scripts of the page costs an attempt and no report', async ({ context, page, operator }) => {
  operator.script.push('held');
  await grantGeolocation(context);
  await page.goto(operator.url);
  await page.evaluate(() => {
    const body = 'x'.repeat(64 * 1024);
    fetch('/location-sdk/report-bet-event', { method: 'POST', body, keepalive: true }).catch(() => {});
  });
  await eventually(() => operator.requests.length).toBe(1);

  expect(await report(page)).toMatchObject({ outcome: 'recorded', attempts: 2 });
});
