// @module-tag slow: drives an example.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { answerLost } from './bet-page.js';
import { POSITION } from './geolocation.js';
import { violationsOf } from './inspector-test.js';
import { choose, logIn, placeBet, SECRETS, test } from './operator-site-example.js';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESKTOP = { width: 1280, height: 720 };
const ALLOWED: BrowserContextOptions = { permissions: ['geolocation'], geolocation: POSITION };
const DENIED: BrowserContextOptions = { permissions: [] };

const notice = (page: Page, of: 'bet' | 'withdrawal' | 'back-office' = 'bet') => page.locator(`#${of}-notice`);
const says = (page: Page, words: string | RegExp, of?: 'withdrawal' | 'back-office') =>
  notice(page, of).filter({ hasText: words }).waitFor();
const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);
const ofOwnEntries = (page: Page, words: string | RegExp) => page.locator('#entries').getByText(words);

test('on a phone, a player bets and withdraws, and the back office settles, under the strict policy', async ({
  open,
  reports,
}) => {
  const { page, complaints, traffic } = await open({ ...PHONE, ...ALLOWED });
  await logIn(page);
  expect(await page.locator('#balance').textContent()).toBe('₦50,000');

  await placeBet(page);
  await says(page, 'This device told us where you are, to 25 metres.');
  await ofOwnEntries(page, 'Accepted').waitFor();
  expect(await page.locator('#balance').textContent()).toBe('₦48,500');

  await page.getByRole('button', { name: 'Won' }).click();
  await says(page, 'Settled and reported.', 'back-office');
  await ofOwnEntries(page, 'Won ₦3,675').waitFor();

  await page.getByLabel('Amount in naira').fill('3000');
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await says(page, 'Your withdrawal is on its way.', 'withdrawal');
  await page.getByRole('button', { name: 'Pay out' }).click();
  await ofOwnEntries(page, 'Paid').waitFor();
  expect(await page.locator('#balance').textContent()).toBe('₦49,175');

  const held = await reports();
  const gps = { ...POSITION, source: 'gps' };
  expect(held.map(({ operation, body }) => [operation, body.location])).toEqual([
    ['reportBetEvent', gps],
    ['reportSettledBet', undefined],
    ['reportWithdrawalEvent', gps],
    ['reportSettledWithdrawal', gps],
  ]);
  expect(complaints).toEqual([]);
  await page.setViewportSize(DESKTOP);
  expect(await widthOf(page)).toBe(DESKTOP.width);
  await page.setViewportSize(PHONE.viewport);
  expect(await widthOf(page)).toBe(PHONE.viewport.width);

  // The player's browser does not receive the personal data that the gateway gets.
  const told = JSON.stringify(held);
  const seen = (await traffic()).join('\n');
  for (const part of ['/relay/report-bet-event', '"outcome":"recorded"', '"backOffice":[', 'HttpOnly'])
    expect(seen).toContain(part);
  for (const secret of SECRETS.filter((value) => value !== 'mock-api-key' && value !== '3310920042'))
    expect(told).toContain(secret);
  expect(SECRETS.filter((secret) => seen.includes(secret))).toEqual([]);

  // The back office and its faults are one press away, from any scroll position.
  for (const scroll of [0, 400]) {
    await page.evaluate((top) => scrollTo(0, top), scroll);
    await page.getByRole('link', { name: 'Back office' }).tap();
    await expect
      .poll(() => page.evaluate(() => document.querySelector('#behind')?.getBoundingClientRect().top))
      .toBeLessThan(844);
    expect(
      await page.evaluate(() => document.querySelector('#behind')?.getBoundingClientRect().top ?? 0),
    ).toBeGreaterThan(40);
  }
  await page.getByLabel('The gateway is busy').tap();
  await page.locator('body:not([aria-busy])').waitFor();
});

test('no script reads the session, no other site sends it, no page frames the site, and its end is reported as such', async ({
  open,
  started,
  reports,
}) => {
  const { page } = await open();
  await logIn(page);
  expect(await page.context().cookies()).toMatchObject([{ name: 'session', httpOnly: true, sameSite: 'Strict' }]);
  const { headers } = await fetch(started.site);
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';.*frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
  );
  expect(headers.get('content-security-policy')).not.toContain('unsafe');

  await page.context().clearCookies();
  await placeBet(page);
  await page.locator('#login-notice').filter({ hasText: 'Please log in.' }).waitFor();
  expect(await reports()).toEqual([]);
});

test('a player who denies the location is located by the connection', { tags: 'slice' }, async ({ open, reports }) => {
  const { page, complaints } = await open({ ...PHONE, ...DENIED });
  await logIn(page);
  await placeBet(page);
  await says(page, 'Your internet connection told us where you are: near Lagos.');
  expect(await reports()).toMatchObject([{ body: { location: { source: 'client_ip', city: 'Lagos' } } }]);
  expect(complaints).toEqual([]);
});

test('without any location nothing is sent, and the player gets the steps to allow it in this browser, and in others', async ({
  open,
  reports,
}) => {
  const { page } = await open(DENIED);
  await logIn(page);
  await choose(page, 'The IP address cannot be located');
  await placeBet(page);
  await says(page, 'We could not tell where you are.');
  await ofOwnEntries(page, 'Not sent').waitFor();
  expect(await reports()).toEqual([]);
  expect(await page.locator('#balance').textContent()).toBe('₦50,000');

  expect(await notice(page).locator('summary').allTextContents()).toEqual([
    'How to allow your location in Chrome',
    'In another browser',
  ]);
  expect(await notice(page).locator('details[open] li').count()).toBeGreaterThan(1);
  await page.getByText('In another browser').click();
  await notice(page).getByText('Safari on iPhone and iPad').waitFor();

  await choose(page, 'Everything works');
  await notice(page).getByRole('button', { name: 'Try again' }).click();
  await says(page, 'Your bet is accepted.');
});

test('while the gateway is down a bet is in doubt, and asking again counts it once', async ({ open, reports }) => {
  const { page } = await open(ALLOWED);
  await logIn(page);
  await choose(page, 'The gateway is down');
  await placeBet(page);
  await says(page, 'We are not sure yet.');
  await ofOwnEntries(page, 'Being checked').waitFor();
  expect(await page.locator('#balance').textContent()).toBe('₦50,000');

  await choose(page, 'Everything works');
  await notice(page).getByRole('button', { name: 'Ask again' }).click();
  await says(page, 'Your bet is accepted.');
  expect(await reports()).toHaveLength(1);
  expect(await page.locator('#balance').textContent()).toBe('₦48,500');
});

test.for(['allowed', 'denied'] as const)(
  'a bet in doubt is repeated unchanged after a reload, with the location %s',
  async (location, { open, reports, started }) => {
    const { page } = await open(location === 'allowed' ? ALLOWED : DENIED);
    await logIn(page);
    await fetch(`${started.gateway}/__admin/faults`, {
      method: 'POST',
      body: JSON.stringify({ kind: 'connection-reset', when: 'after', times: null }),
    });
    await placeBet(page);
    await says(page, 'We are not sure yet.');
    await fetch(`${started.gateway}/__admin/faults`, { method: 'DELETE' });

    await page.reload();
    await page.getByRole('button', { name: 'Ask again' }).click();
    await ofOwnEntries(page, 'Accepted').waitFor();
    expect(await reports()).toHaveLength(1);
    expect(await page.locator('#balance').textContent()).toBe('₦48,500');
  },
);

test("the player's messages for a lost answer, a busy gateway, and a used number", async ({ open, reports }) => {
  const { page } = await open(ALLOWED);
  await logIn(page);
  for (const [condition, words, stake] of [
    ['One answer is lost', 'The first answer was lost; it still counts once.', '₦1,500'],
    ['The gateway is busy', 'Try again in 60 seconds. Your bet was not sent.', '₦500'],
    ['The next bet number is in use', 'We have to check your bet.', '₦5,000'],
  ] as const) {
    await choose(page, condition);
    await placeBet(page, stake);
    await says(page, words);
  }
  // One of the player's, and the one that existed before.
  expect(await reports()).toHaveLength(2);
  expect(await page.locator('#balance').textContent()).toBe('₦48,500');
});

test('a bet whose placing has no answer is one bet, also after a reload', async ({ open, reports }) => {
  const { page } = await open(ALLOWED);
  await logIn(page);
  await page.route('**/bets', answerLost, { times: 2 });
  for (const reloads of [false, true]) {
    await placeBet(page);
    await says(page, 'We do not know yet whether this went through.');
    if (reloads) await page.reload();
  }
  await placeBet(page);
  await says(page, 'Your bet is accepted.');
  expect(await page.locator('#entries .number').count()).toBe(1);
  expect(await reports()).toHaveLength(1);
});

test('a settlement in doubt is sent again unchanged', async ({ open, reports }) => {
  const { page } = await open(ALLOWED);
  await logIn(page);
  await placeBet(page);
  await says(page, 'Your bet is accepted.');
  await choose(page, 'The gateway is down');
  await page.getByRole('button', { name: 'Won' }).click();
  await says(page, 'Not sure yet.', 'back-office');
  await choose(page, 'Everything works');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await ofOwnEntries(page, 'Won ₦3,675').waitFor();
  expect((await reports()).map(({ operation }) => operation)).toEqual(['reportBetEvent', 'reportSettledBet']);
});

test('a player is paid nothing whose number is not verified, or while the gateway is down', async ({
  open,
  reports,
}) => {
  const { page } = await open(ALLOWED);
  await logIn(page, 'palm8');
  const withdraw = page.getByRole('button', { name: 'Withdraw', exact: true });
  await withdraw.click();
  await says(page, 'We could not verify your identity', 'withdrawal');
  await choose(page, 'The gateway is down');
  await withdraw.click();
  await says(page, 'No withdrawal was made', 'withdrawal');
  expect(await notice(page, 'withdrawal').textContent()).not.toContain('Not sure');
  expect(await reports()).toEqual([]);
});

test('a page cannot report another player’s bet, or one that was not placed', async ({ open, reports }) => {
  const { page } = await open(ALLOWED);
  await logIn(page, 'palm8');
  const placed = await page.evaluate(async () =>
    (await fetch('/bets', { method: 'POST', body: '{"stake":500,"key":"0123456789"}' })).json(),
  );
  await page.getByRole('button', { name: 'Log out' }).click();
  await logIn(page);
  const refused = await page.evaluate(
    async (ids) => {
      const client = LocationSDK.createClient({ relayUrl: '/relay' });
      const codes = ids.map((bet_id) =>
        client.reportBetEvent({ bet_id }).then(
          () => 'reported',
          ({ status, outcome }) => `${status} ${outcome}`,
        ),
      );
      return Promise.all(codes);
    },
    [placed.bet_id, 'BET-made-up'],
  );
  expect(refused).toEqual(['403 not-sent', '403 not-sent']);
  expect(await reports()).toEqual([]);
});

test('each row has its number and time, with which support finds it at the gateway', async ({ open, reports }) => {
  const { page } = await open(ALLOWED);
  await logIn(page);
  const before = Date.now();
  await placeBet(page);
  await says(page, 'Your bet is accepted.');
  const row = page.locator('#entries li').first();
  const number = (await row.locator('.number').textContent()) ?? '';
  const at = Date.parse((await row.locator('time').getAttribute('datetime')) ?? '');
  expect(number).toMatch(/^BET-[0-9a-f]{8}$/);
  expect(Math.abs(at - before)).toBeLessThan(60_000);
  expect((await reports())[0]?.reference.startsWith(number)).toBe(true);
  expect(await page.locator('#back-office .number').textContent()).toBe(number);

  await choose(page, 'The gateway is down');
  await placeBet(page, '₦500');
  await says(page, 'We are not sure yet.');
  expect(await notice(page).locator('small').textContent()).toContain(
    await page.locator('#entries .number').first().textContent(),
  );
});

test('no list hides rows without saying so', async ({ open }) => {
  const { page } = await open(ALLOWED);
  await logIn(page);
  for (let count = 1; count <= 10; count += 1) {
    await page.evaluate(async (key) => {
      const body = JSON.stringify({ stake: 500, key });
      const { bet_id } = await (await fetch('/bets', { method: 'POST', body })).json();
      await LocationSDK.createClient({ relayUrl: '/relay' }).reportBetEvent({ bet_id });
    }, `0123456789-${count}`);
  }
  await page.reload();
  for (const list of ['#entries', '#back-office']) {
    const rows = page.locator(`${list} .number`);
    await expect.poll(() => rows.count()).toBe(8);
    await page.locator(list).getByRole('button', { name: 'Show all 10' }).click();
    expect(await rows.count()).toBe(10);
    expect(
      await page.evaluate((list) => document.querySelector(list)?.contains(document.activeElement) ?? false, list),
    ).toBe(list === '#back-office');
  }
});

test('the focus moves to the next step: after login, asking again, settling and logout', async ({ open }) => {
  const { page } = await open(ALLOWED);
  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
  await logIn(page);
  expect(await focused()).toBe('match');
  await choose(page, 'The gateway is down');
  await placeBet(page);
  await says(page, 'We are not sure yet.');
  await page.keyboard.press('Tab');
  await notice(page).getByRole('button', { name: 'Ask again' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('body:not([aria-busy])').waitFor();
  expect(await focused()).toBe('Ask again');
  await choose(page, 'Everything works');
  await notice(page).getByRole('button', { name: 'Ask again' }).focus();
  await page.keyboard.press('Enter');
  await says(page, 'Your bet is accepted.');
  expect(await focused()).toBe('bet-notice');

  await placeBet(page, '₦500');
  await expect.poll(() => page.getByRole('button', { name: 'Lost' }).count()).toBe(2);
  await page.locator('body:not([aria-busy])').waitFor();
  for (const next of ['Won', 'waiting']) {
    await page.getByRole('button', { name: 'Won' }).first().focus();
    await page.keyboard.press('Enter');
    await says(page, 'Settled and reported.', 'back-office');
    await page.locator('body:not([aria-busy])').waitFor();
    expect(await focused()).toBe(next);
  }
  await page.getByRole('button', { name: 'Log out' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Nickname').waitFor();
  expect(await focused()).toBe('nickname-field');
});

/** The lowest contrast of each element's edge with the colours inside and outside. */
function borderContrasts(): { name: string; contrast: number }[] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const luminance = (colour: string) => {
    if (!canvas) throw new Error('No canvas.');
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const linear = (part = 0) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  };
  const ground = (element: Element | null): string => {
    if (!element) return 'white';
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? ground(element.parentElement) : backgroundColor;
  };
  const ratio = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const controls = [
    ...document.querySelectorAll('button, input:not([type=radio]), .picks span, .stakes span, .card'),
  ].filter((one) => one.checkVisibility());
  return controls.map((one) => {
    const { borderTopColor, borderTopStyle } = getComputedStyle(one);
    const outside = luminance(ground(one.parentElement));
    const edge =
      borderTopStyle === 'none' || borderTopColor === 'rgba(0, 0, 0, 0)'
        ? luminance(ground(one))
        : luminance(borderTopColor);
    return { name: one.textContent?.trim().slice(0, 30) || one.tagName, contrast: ratio(edge, outside) };
  });
}

test('the page is accessible, and its buttons and fields have an edge of 3:1, in light and in dark', async ({
  open,
}) => {
  const { page } = await open({ ...PHONE, ...ALLOWED, bypassCSP: true });
  /** Returns the number of buttons and fields. */
  const expectClear = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page)).toEqual([]);
      expect((await page.evaluate(borderContrasts)).filter(({ contrast }) => contrast < 3)).toEqual([]);
    }
    return (await page.evaluate(borderContrasts)).length;
  };
  await page.getByLabel('Nickname').waitFor();
  expect(await expectClear()).toBeGreaterThan(1);
  await logIn(page);
  await placeBet(page);
  await says(page, 'Your bet is accepted.');
  await choose(page, 'The gateway is down');
  await placeBet(page, '₦500');
  await says(page, 'We are not sure yet.');
  expect(await expectClear()).toBeGreaterThan(10);
});
