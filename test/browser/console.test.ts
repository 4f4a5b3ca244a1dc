import { createHash } from 'node:crypto';
// @module-tag slow: drives Chromium.
import type { Page } from 'playwright-core';
import { test as base, expect } from 'vitest';
import { betEvent, settledBet } from '../support/factories.js';
import { connectChromium } from './connect-chromium.js';
import { loaded, mendWrongDeploy, open, reopenDismissed, tile } from './console-story.js';
import { consoleWorld } from './console-world.js';
import { violationsByScheme, violationsOf } from './violations.js';

const HOSTILE = '<img src=x onerror="window.harmed=true">"\'`</script><script>window.harmed=true</script>';
const DESKTOP = { width: 1180, height: 800 };
const PHONE = { width: 390, height: 800 };
const ADA = { name: 'ada@example.com', mayAct: true, mayReadBodies: true };

/** One outbox, one console and one page of one browser for all of these, in their order. */
const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that nothing is needed.
  .extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
    const world = await consoleWorld();
    onCleanup(() => world.close());
    return world;
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await connectChromium();
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('watched', { scope: 'file' }, async ({ browser, world }, { onCleanup }) => {
    // axe is put into the page, which its policy would refuse; that the policy holds is tested in a page of its own.
    const context = await browser.newContext({
      bypassCSP: true,
      viewport: DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    onCleanup(() => context.close());
    const page = await context.newPage();
    await page.clock.install();
    const [complaints, elsewhere]: [string[], string[]] = [[], []];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on(
      'request',
      (request) =>
        request.url().startsWith(new URL(world.url).origin) ||
        request.url().startsWith('blob:') ||
        elsewhere.push(request.url()),
    );
    return { page, complaints, elsewhere };
  });

/** The page looks at its server every two seconds. */
const lookAgain = (page: Page) => page.clock.fastForward(2_000);

test('after a wrong deploy, 200 reports go from quarantined to recorded in a few clicks', { tags: 'slice' }, async ({
  world,
  watched: { page },
}) => {
  await mendWrongDeploy(page, world);
});

test('pressed twice it is one decision, and it can be undone while nothing has left', async ({
  world,
  watched: { page },
}) => {
  await world.report(3, { refusedWith: 'the operator is unknown', name: 'TWICE' });
  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as TWICE/ }).click();
  await page.getByRole('button', { name: 'Send all again…' }).click();
  await page.keyboard.type('too early');
  await page.getByRole('button', { name: 'Send again', exact: true }).dblclick();
  await page.getByText('3 reports to be sent again.').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('3 reports need a person again.').waitFor();
  await page.getByRole('link', { name: 'All groups' }).click();
  const decisions = page.getByRole('region', { name: 'Decisions' }).getByRole('listitem');
  await expect
    .poll(() => decisions.allTextContents())
    .toMatchObject(
      [/^Undone: 3 reports/, /^Sent again: 3 reportstoo early.*undone/, /^Sent again: 200/].map((text) =>
        expect.stringMatching(text),
      ),
    );
});

test('some of a group are chosen, and a verdict asks for a reason', async ({ world, watched: { page } }) => {
  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as TWICE/ }).click();
  const dismiss = page.getByRole('button', { name: 'Dismiss…', exact: true });
  expect(await dismiss.isDisabled()).toBe(true);
  await page.getByRole('checkbox').first().check();
  await dismiss.click();
  await page.getByRole('dialog').getByText('1 report', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByText('Enter a reason').waitFor();
  await page.keyboard.type('a test bet');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('1 report dismissed.').waitFor();
  await expect.poll(() => page.getByRole('checkbox').count()).toBe(2);
  expect((await world.outbox.stats()).states).toMatchObject({ dismissed: 1, quarantined: 2 });
});

test('what is new moves nothing: it is counted, and comes when it is asked for', async ({
  world,
  watched: { page },
}) => {
  await open(page, world.url, '#/person');
  const first = page.getByRole('button', { name: /such as TWICE/ });
  const before = await first.boundingBox();
  await world.report(5, { refusedWith: 'the request is invalid', name: 'NEW' });
  await lookAgain(page);
  const show = page.getByRole('button', { name: '1 new: show' });
  await show.waitFor();
  expect(await first.boundingBox()).toEqual(before);
  expect(await page.getByText('such as NEW').count()).toBe(0);
  await show.click();
  await page.getByText(/such as NEW/).waitFor();
  // The larger group comes first.
  expect(await page.locator('.groups .many').allTextContents()).toEqual(['5', '2']);
});

test('a report shows its life, its command line, and its body after a reason alone', async ({
  world,
  watched: { page },
}) => {
  await open(page, world.url, '#/search');
  await page.getByLabel('Reference or id').fill('NEW-204');
  await page.keyboard.press('Enter');
  await page
    .locator('.list')
    .getByRole('button', { name: /NEW-204/ })
    .click();
  await loaded(page);
  const life = page.getByRole('region', { name: 'History' });
  await life.getByText('Enqueued').waitFor();
  await life.getByText('An attempt failed').waitFor();
  await page.getByText('retry default:staging:reportBetEvent:NEW-204 --reason').waitFor();
  expect(await page.locator('main').innerHTML()).not.toMatch(/Adaeze|99012345678|Ogui/);
  await page.getByRole('button', { name: 'Show the body…' }).click();
  await page.keyboard.type('the player has complained');
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.getByText('This is personal data.').waitFor();
  expect(await page.locator('main').textContent()).toContain('99012345678');
  await page.getByRole('button', { name: 'Hide it' }).click();
  expect(await page.locator('main').textContent()).not.toContain('99012345678');
  await open(page, world.url, '#/person');
  await page.getByRole('region', { name: 'Decisions' }).getByText('Body read').waitFor();
});

test('a hostile reference and hostile words are text, and nothing of them runs', async ({
  world,
  watched: { page },
}) => {
  await world.report(1, { refusedWith: HOSTILE.replaceAll('"', "'"), name: HOSTILE });
  await open(page, world.url, '#/search');
  await page.locator('.list').getByText(HOSTILE).click();
  await loaded(page);
  await page.getByRole('heading', { name: HOSTILE }).waitFor();
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
});

test('the keyboard alone is enough', async ({ world, watched: { page } }) => {
  await open(page, world.url);
  await page.keyboard.press('2');
  await page.getByRole('heading', { name: 'Needs a person' }).waitFor();
  await loaded(page);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'All groups' }).waitFor();
  await loaded(page);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'All groups' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Needs a person' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('heading', { name: 'Search' }).waitFor();
});

test('a slash from any view reaches the search field at once, and the letters after it stand in the field', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  await open(page, world.url);
  await page.route('**/api/*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue().catch(() => undefined);
  });
  onTestFinished(() => page.unroute('**/api/*'));
  for (const tab of ['1', '2', '4', '5']) {
    await page.keyboard.press('Escape');
    await page.keyboard.press(tab);
    await page.keyboard.press('/');
    await page.keyboard.type('1j2k/4');
    expect([await page.getByRole('searchbox').inputValue(), new URL(page.url()).hash]).toEqual(['1j2k/4', '#/search']);
  }
  await loaded(page);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
});

test('the focus is inside a report that was opened, and the way back finds the list as it was left', async ({
  world,
  watched: { page },
}) => {
  const focus = () => page.evaluate(() => document.activeElement?.textContent?.slice(0, 12) ?? '');
  await open(page, world.url, '#/search');
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => page.locator('.list button').count()).toBe(100);
  const row = page.locator('.list button').nth(80);
  const name = (await row.textContent())?.slice(0, 12);
  await row.focus();
  const scrolled = await page.evaluate(() => scrollY);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'History' }).waitFor();
  expect(await focus()).toBe('Report');
  await page.keyboard.press('Escape');
  await expect.poll(focus).toBe(name);
  expect([await page.locator('.list button').count(), await page.evaluate(() => scrollY)]).toEqual([100, scrolled]);
});

test('a phone of 360 pixels shows the count of each state of a destination', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  onTestFinished(() => page.setViewportSize(DESKTOP));
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, world.url);
  const cells = page.getByRole('region', { name: 'Destinations' }).locator('tbody td');
  for (const cell of await cells.all()) {
    const box = await cell.boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
  }
  const shown = await cells.evaluateAll((all) =>
    all.map((one) => `${getComputedStyle(one, '::before').content} ${one.textContent}`),
  );
  expect(shown[0]).toMatch(/^"To decide" \d+$/);
});

test('the log is checked, and a list is compared with the outbox and saved', async ({ world, watched: { page } }) => {
  await open(page, world.url, '#/proof');
  await page.getByRole('button', { name: 'Check the log' }).click();
  await page.getByText('All 201 entries are as they were written.').waitFor();
  await page.getByLabel('Head to find in it').fill('0'.repeat(64));
  await page.getByRole('button', { name: 'Check the log' }).click();
  await page.getByText('the head that was noted is not in the log').waitFor();
  expect(await page.getByLabel('Environment').inputValue()).toBe('staging');
  await page.getByLabel('Environment').selectOption('production');
  await page.getByText('The outbox has no reports in production.', { exact: true }).waitFor();
  await page.getByLabel(/Your list/).fill('BET-1\nBET-2\n');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('The outbox has no reports in production. Choose').waitFor();
  expect(await page.getByText('are recorded').count()).toBe(0);
  await page.getByLabel('Environment').selectOption('staging');
  const list = 'bet_id,amount\nBET-1,5\nBET-2,6\nBET-none,7\n';
  await page.getByLabel(/Your list/).fill(list);
  await page.getByLabel('Operation').selectOption('Bet, and its settlement');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('2 of 6 are recorded.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  const pieces: Buffer[] = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer);
  const rows = Buffer.concat(pieces).toString().split('\r\n');
  expect(rows[1]).toBe(`SHA-256 of the list,${createHash('sha256').update(list).digest('hex')}`);
  expect(rows[3]).toBe('only enqueued on,any day');
  expect(rows[6]).toMatch(/^head of the log of receipts,"201 entries, [0-9a-f]{64}"$/);
  expect(rows.slice(8).map((row) => row.split(',').slice(0, 6).join())).toEqual([
    'reference,operation,environment,state,outcome,problem',
    'BET-1,reportBetEvent,staging,recorded,recorded,',
    'BET-2,reportBetEvent,staging,recorded,recorded,',
    'BET-none,reportBetEvent,staging,never-seen,,',
    'BET-1,reportSettledBet,staging,never-seen,,',
    'BET-2,reportSettledBet,staging,never-seen,,',
    'BET-none,reportSettledBet,staging,never-seen,,',
    '',
  ]);
  expect(rows[9]).toMatch(/,recorded,,\d{4}-\d\d-\d\dT[\d:.]+Z,\d{4}-\d\d-\d\dT[\d:.]+Z,\d+$/);
  await page.getByLabel(/^Enqueued on/).selectOption({ index: 7 });
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('0 of 4 are recorded. 2 reports of other days left out.').waitFor();
  const receipt = { operation: 'reportBetEvent', reference: 'BET-1', outcome: 'recorded' };
  const log = [receipt, { ...receipt, account: 'brandB' }].map((one) => JSON.stringify(one)).join('\n');
  await page.getByLabel(/Your list/).fill(log);
  await page.getByLabel(/^Enqueued on/).selectOption({ index: 0 });
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('1 of 1 are recorded. 1 receipt of other accounts or environments left out.').waitFor();
  const choose = (text: string) =>
    page.getByLabel('or a file').setInputFiles({ name: 'bets.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
  await choose('BET-1\nBET-2\nBET-none\n');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('2 of 6 are recorded.').waitFor();
  expect(await page.getByLabel(/Your list/).inputValue()).toBe('');
  await page.getByLabel(/Your list/).fill('BET-none');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('0 of 2 are recorded.').waitFor();
  await choose('BET-2\nBET-1');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('its last line does not end with a line break, so it may be cut off').waitFor();
  expect(await page.getByRole('button', { name: 'Save as CSV' }).count()).toBe(0);
});

test('a group that a decision has changed is read again on the way back, and a group leads back to its row', async ({
  world,
  watched: { page },
}) => {
  await world.report(3, { refusedWith: 'the stake is missing', name: 'BACK' });
  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as BACK/ }).click();
  await page.getByRole('link', { name: /BACK/ }).first().click();
  await page.getByRole('button', { name: 'Dismiss…', exact: true }).click();
  await page.keyboard.type('a test bet');
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByText('1 report dismissed.').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('checkbox').count()).toBe(2);
  await page.keyboard.press('Escape');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('button')?.textContent ?? ''))
    .toContain('such as BACK');
});

test('what a colleague dismissed is found by the name, and reopened as one decision dismissed it', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  onTestFinished(() => world.be(ADA));
  await reopenDismissed(page, world, ADA);
});

test('a question is not answered by what comes late for the one before it', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  await open(page, world.url);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/decisions', async (route) => {
    if (!route.request().postData()?.includes('nobody')) await released;
    await route.continue().catch(() => undefined);
  });
  onTestFinished(() => page.unroute('**/api/decisions'));
  await page.keyboard.press('5');
  const asked = page.waitForRequest('**/api/decisions');
  await page.getByRole('button', { name: 'Find' }).click();
  await asked;
  const person = page.getByRole('searchbox', { name: 'Person' });
  await person.fill('nobody');
  await page.keyboard.press('Enter');
  const none = page.getByText('No decision fits.');
  await none.waitFor();
  const late = page.waitForResponse('**/api/decisions');
  release();
  await (await late).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(await none.count()).toBe(1);
  await person.fill('');
  await page.getByRole('button', { name: 'Find' }).click();
  await none.waitFor({ state: 'detached' });
});

test('the way back from a decision finds the list as it was left, and a time narrows it', async ({
  world,
  watched: { page },
}) => {
  await open(page, world.url, '#/decisions');
  const person = page.getByRole('searchbox', { name: 'Person' });
  await person.fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('No decision fits.').waitFor();
  await person.fill('');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('link', { name: /^Sent again: 200 reports/ }).click();
  await page.getByRole('region', { name: 'Reports of this decision' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Decisions' }).waitFor();
  const all = await page.locator('.decisions li').count();
  expect(all).toBeGreaterThan(3);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel('From').fill(tomorrow);
  await page.keyboard.press('Enter');
  await page.getByText('No decision fits.').waitFor();
  await page.getByLabel('From').fill('');
  await page.getByRole('textbox', { name: 'to' }).fill(tomorrow);
  await page.getByRole('button', { name: 'Find' }).click();
  await expect.poll(() => page.locator('.decisions li').count()).toBe(all);
});

test('one dismissed report is reopened, and the command that replaces a refused one is there to copy', async ({
  world,
  watched: { page },
}) => {
  await world.report(2, { refusedWith: 'the market is closed', name: 'ONE' });
  const [report] = (await world.outbox.list({ state: 'quarantined', limit: 500 })).filter(({ reference }) =>
    reference.startsWith('ONE'),
  );
  await open(page, world.url, `#/report/${encodeURIComponent(report?.id ?? '')}`);
  await page.getByText(`npx location-sdk outbox <store> replace ${report?.id} corrected.json --reason "…"`).waitFor();
  await page.getByRole('button', { name: 'Copy the command line for: Replace' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`replace ${report?.id} corrected.json`);
  expect(await page.getByRole('button', { name: 'Replace…' }).count()).toBe(0);

  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as ONE/ }).click();
  await page.getByRole('button', { name: 'Dismiss all…' }).click();
  await page.getByRole('dialog').getByText('2 reports', { exact: true }).waitFor();
  await page.keyboard.type('test bets');
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByText('2 reports dismissed.').waitFor();
  await open(page, world.url, `#/report/${encodeURIComponent(report?.id ?? '')}`);
  await page.getByRole('button', { name: 'Reopen all 2…' }).waitFor();
  await page.getByRole('button', { name: 'Reopen…' }).click();
  await page.keyboard.type('this one was placed');
  await page.getByRole('button', { name: 'Reopen', exact: true }).click();
  await page.getByText('1 report reopened.').waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('ada@example.com reopened it').waitFor();
  expect(await history.locator('.event b').allTextContents()).toEqual([
    'Enqueued',
    'An attempt failed',
    'ada@example.com dismissed it',
    'ada@example.com reopened it',
    'Needs a person',
  ]);
  await history.getByRole('link', { name: 'The whole decision' }).last().click();
  await page.getByText('Reopened: 1 report').waitFor();
  expect((await world.outbox.get(report?.id ?? ''))?.state).toBe('quarantined');
});

test('a lost connection is said, keeps what was shown, disables the buttons, and comes back by itself', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  await open(page, world.url);
  const range = page.getByRole('button', { name: 'Month' });
  await range.focus();
  const come = await world.lose();
  onTestFinished(come);
  await lookAgain(page);
  await page.locator('#link', { hasText: 'connection lost' }).waitFor();
  const lost = page.getByRole('region', { name: 'Connection' });
  expect(await lost.textContent()).toMatch(/Connection lost\. You see the state of \d\d:\d\d:\d\d/);
  expect((await lost.boundingBox())?.height).toBeGreaterThan(40);
  expect(await page.locator('main button:enabled').count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  expect(await tile(page, 'Recorded').textContent()).toBe('200');
  await come();
  // A page that reaches no server looks seldom.
  await page.clock.fastForward(10_000);
  await page.locator('#link[data-state=live]').waitFor();
  expect([await lost.isVisible(), await range.isEnabled()]).toEqual([false, true]);

  const comeAgain = await world.lose();
  onTestFinished(comeAgain);
  await lookAgain(page);
  await lost.waitFor();
  await comeAgain();
  await lost.getByRole('button', { name: 'Try now' }).click();
  await page.locator('#link[data-state=live]').waitFor();
  expect([await lost.isVisible(), await range.isEnabled()]).toEqual([false, true]);
});

test('a colleague who may look sees no button that decides, and one who is logged out nothing', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  onTestFinished(() => world.be(ADA));
  world.be({ name: 'bola@example.com' });
  await open(page, world.url, '#/person');
  await page.locator('.list button').first().click();
  await page.getByRole('link', { name: 'All groups' }).waitFor();
  expect(await page.getByRole('button', { name: /again|Declare|Dismiss|Resume/ }).count()).toBe(0);
  expect(await page.getByText('may look').count()).toBe(1);
  await open(page, world.url, '#/decisions');
  const decision = page.getByRole('link', { name: 'Dismissed: 2 reports' });
  await decision.waitFor();
  expect(await page.getByRole('button', { name: /Reopen|Undo/ }).count()).toBe(0);
  world.be(null as never);
  await lookAgain(page);
  await page.getByText('Log in first').waitFor();
  expect(await decision.count()).toBe(0);
});

test('a bet is dismissed with the settlement that waits for it', async ({ world, watched: { page } }) => {
  await world.report(1, { refusedWith: 'the league is unknown', name: 'BOTH' });
  const [bet] = (await world.outbox.list({ state: 'quarantined', limit: 500 })).filter(({ reference }) =>
    reference.startsWith('BOTH'),
  );
  const settlement = await world.outbox.reportSettledBet(settledBet({ bet_id: bet?.reference ?? '' }));
  await open(page, world.url, `#/report/${encodeURIComponent(bet?.id ?? '')}`);
  await page.getByRole('button', { name: 'Dismiss…', exact: true }).click();
  const choice = page.getByRole('checkbox', { name: 'Dismiss also 1 waiting settlement.' });
  // The gateway has refused the bet, so it would answer 404 to its settlement.
  expect(await choice.isChecked()).toBe(true);
  await page.getByRole('textbox', { name: 'Why?' }).fill('test bets');
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByText('2 reports dismissed.').waitFor();
  for (const id of [bet?.id ?? '', settlement.id]) expect((await world.outbox.get(id))?.state).toBe('dismissed');
});

test('a whole group is dismissed with its settlements, and the words count all that were selected', async ({
  world,
  watched: { page },
}) => {
  await world.report(3, { refusedWith: 'the sport is unknown', name: 'WHOLE' });
  const bets = (await world.outbox.list({ state: 'quarantined', limit: 500 })).filter(({ reference }) =>
    reference.startsWith('WHOLE'),
  );
  for (const { reference } of bets.slice(0, 2)) await world.outbox.reportSettledBet(settledBet({ bet_id: reference }));
  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as WHOLE/ }).click();
  await page.getByRole('button', { name: 'Dismiss all…' }).click();
  const choice = page.getByRole('checkbox', { name: 'Dismiss also 2 waiting settlements.' });
  expect(await choice.isChecked()).toBe(true);
  // A colleague is quicker with one of them.
  await world.outbox.resolve(bets[2]?.id ?? '', { as: 'dismissed', reason: 'a test bet' });
  await page.getByRole('textbox', { name: 'Why?' }).fill('test bets');
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByText('4 of 5 reports dismissed; the others had changed, and were not touched.').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('textbox', { name: 'Why?' }).fill('they were placed');
  await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('4 reports reopened.').waitFor();
});

test('a verdict is offered only where it may be right, and an undo only while it would change something', async ({
  world,
  watched: { page },
}) => {
  await world.report(2, { refusedWith: 'the odds are wrong', name: 'RIGHT' });
  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as RIGHT/ }).click();
  await page.getByRole('button', { name: 'Send all again…' }).waitFor();
  expect(await page.getByRole('button', { name: /Declare/ }).count()).toBe(0);
  await page.getByRole('link', { name: /RIGHT/ }).first().click();
  await page.getByRole('button', { name: 'Send again…' }).waitFor();
  expect(await page.getByRole('button', { name: /Declare/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Send again…' }).click();
  await page.keyboard.type('the odds were mended');
  await page.getByRole('button', { name: 'Send again', exact: true }).click();
  await page.getByText('1 report to be sent again.').waitFor();

  await open(page, world.url, '#/decisions');
  await page.getByText('the odds were mended').waitFor();
  expect(await page.getByRole('button', { name: /Undo|Reopen/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Sent again: 1 report' }).first().click();
  const undo = page.getByRole('button', { name: 'Undo…' });
  await undo.waitFor();
  await world.outbox.drain();
  await undo.waitFor({ state: 'detached' });
});

test('on a phone the titles of groups are whole, and a long group begins with any of its reports', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  onTestFinished(() => page.setViewportSize(DESKTOP));
  await page.setViewportSize({ width: 360, height: 740 });
  const words = 'amount must be a number; '.repeat(5);
  await world.report(1, { refusedWith: `${words}timestamp is required`, name: 'SHORT' });
  await world.report(120, { refusedWith: `${words}latitude is required`, name: 'LONG' });
  await open(page, world.url, '#/person');
  const titles = page.locator('.groups .title').filter({ hasText: words.trim() });
  await expect.poll(() => titles.count()).toBe(2);
  for (const [index, end] of [/latitude is required/, /timestamp is required/].entries()) {
    expect(await titles.nth(index).textContent()).toMatch(end);
    expect(await titles.nth(index).evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(0);
  }
  await titles.first().click();
  const row = page.locator('.select .title');
  await expect.poll(() => row.count()).toBe(50);
  const first = await row.first().textContent();
  await page.getByRole('checkbox').first().check();
  const begin = page.getByLabel('Begin with number (of 120)');
  await begin.fill('101');
  await begin.press('Enter');
  await expect.poll(() => row.count()).toBe(20);
  const number = (name: string | null) => Number(name?.split('-').at(-1));
  expect(number(await row.first().textContent())).toBe(number(first) + 100);
  // The selection stays.
  await page.getByText('1 selected').waitFor();
  await begin.fill('61');
  await page.getByRole('button', { name: 'Go' }).click();
  await expect.poll(() => row.count()).toBe(50);
  // The second click finds no more reports.
  const more = page.getByRole('button', { name: 'Show more' });
  await more.dblclick();
  await expect.poll(() => row.count()).toBe(60);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(await row.count()).toBe(60);
  await begin.fill('1');
  await begin.press('Enter');
  await expect.poll(() => row.count()).toBe(50);
  // A click while another page is on its way adds to that page.
  await page.route('**/api/search', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  onTestFinished(() => page.unroute('**/api/search'));
  await begin.fill('61');
  await begin.press('Enter');
  await more.click();
  await expect.poll(() => row.count()).toBe(60);
  expect(number(await row.first().textContent())).toBe(number(first) + 60);
  expect(number(await row.last().textContent())).toBe(number(first) + 119);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test('a list that cannot be read says so until it was read again, and shows nothing that was found for other words', async ({
  world,
  watched: { page },
  onTestFinished,
}) => {
  let isCut = false;
  await page.route('**/api/search', (route) => (isCut ? route.abort() : route.continue()));
  onTestFinished(() => page.unroute('**/api/search'));
  await world.report(120, { refusedWith: 'city is required', name: 'CUT' });
  const row = page.locator('.list .title');
  const alert = page.getByRole('alert');
  const more = page.getByRole('button', { name: 'Show more' });
  await open(page, world.url, '#/search');
  await expect.poll(() => row.count()).toBe(50);
  isCut = true;
  await page.getByRole('searchbox').fill('nobody');
  await page.keyboard.press('Enter');
  await alert.waitFor();
  expect(await row.count()).toBe(0);
  isCut = false;
  await page.getByRole('searchbox').fill('');
  await page.keyboard.press('Enter');
  await expect.poll(() => row.count()).toBe(50);

  await open(page, world.url, '#/person');
  await page.locator('.groups .title').filter({ hasText: 'city is required' }).click();
  await page.locator('.select').waitFor();
  await expect.poll(() => row.count()).toBe(50);
  isCut = true;
  await more.click();
  await alert.waitFor();
  expect(await row.count()).toBe(50);
  isCut = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  await expect.poll(() => row.count()).toBe(100);
});

test('within its policy the page complains of nothing and asks no other host', async ({
  world,
  browser,
  onTestFinished,
}) => {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const [complaints, elsewhere]: [string[], string[]] = [[], []];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => request.url().startsWith(new URL(world.url).origin) || elsewhere.push(request.url()));
  for (const hash of ['#/', '#/person', '#/search', '#/proof', '#/decisions']) await open(page, world.url, hash);
  expect([complaints, elsewhere]).toEqual([[], []]);
});

const VIEWS = ['overview', 'person', 'group', 'dialog', 'report', 'search', 'proof', 'decisions', 'decision'] as const;

async function show(page: Page, url: string, view: (typeof VIEWS)[number]): Promise<void> {
  const hash = {
    overview: '#/',
    search: '#/search',
    proof: '#/proof',
    decisions: '#/decisions',
    decision: '#/decisions',
    report: '#/report/default%3Astaging%3AreportBetEvent%3ANEW-204',
  };
  await open(page, url, view in hash ? hash[view as keyof typeof hash] : '#/person');
  if (view === 'decision') {
    await page
      .getByRole('link', { name: /Dismissed: / })
      .first()
      .click();
    await page.getByRole('region', { name: 'Reports of this decision' }).waitFor();
  }
  if (view !== 'group' && view !== 'dialog') return;
  await page.locator('.groups button').first().click();
  await loaded(page);
  if (view === 'dialog') {
    await page.getByRole('button', { name: 'Dismiss all…' }).click();
    await page.getByRole('dialog').getByText('× Bet initiated').waitFor();
  }
}

test.for(VIEWS)(
  'axe finds nothing wrong: %s, light on a desktop and dark on a phone',
  async (view, { world, watched: { page } }) => {
    await show(page, world.url, view);
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: 'light' });
  },
);

test('refused data is corrected from a file first, and no primary button sends it again', async ({
  world,
  watched: { page },
}) => {
  await world.report(2, { refusedWith: 'the amount is missing', name: 'FIX' });
  const [report] = (await world.outbox.list({ state: 'quarantined', limit: 500 })).filter(({ reference }) =>
    reference.startsWith('FIX'),
  );
  const primaries = () => page.locator('main button.primary').allTextContents();
  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as FIX/ }).click();
  await page.getByRole('button', { name: 'Send all again…' }).waitFor();
  await expect.poll(primaries).toEqual(['Correct from a file…']);
  const command =
    'npx location-sdk outbox <store> replace --from corrected.ndjson --account default --environment staging';
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    await page.getByRole('button', { name: 'Correct from a file…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Correct from a file' });
    await dialog.getByText(`${command} --dry-run --reason "…"`).waitFor();
    await dialog.getByText('Add wrong settlements, which are replaced first').waitFor();
    expect(await violationsByScheme(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await dialog.getByRole('button', { name: 'Copy the command line for: Correct' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${command} --reason "…"`);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(DESKTOP);
  await open(page, world.url, `#/report/${encodeURIComponent(report?.id ?? '')}`);
  await page.getByRole('button', { name: 'Send again…' }).waitFor();
  expect(await primaries()).not.toContain('Send again…');
});

test('a refused key is counted first, stands above the charts, and says what to do', async ({
  world,
  watched: { page },
}) => {
  const before = (await world.outbox.stats()).states.quarantined;
  world.gateway.faults.add({ kind: 'status', status: 401, times: 1_000, body: { message: 'Unauthorized' } });
  await world.outbox.reportBetEvent(betEvent({ bet_id: 'KEY-1' }));
  world.outbox.start();
  await expect.poll(async () => (await world.outbox.stats()).paused.length).toBe(1);
  await world.outbox.stop();
  await open(page, world.url);
  const first = page.locator('.tile').first();
  expect(await first.innerText()).toMatch(
    new RegExp(`Needs a person\\s+${before + 1}\\s+1 stop, ${before} reports to decide`),
  );
  expect(await first.locator('.mark.bad').count()).toBe(1);
  expect(await page.title()).toBe(`(${before + 1}) Outbox`);
  const why = page.getByRole('region', { name: 'Why reports wait' });
  expect(await why.innerText()).toMatch(
    /staging\s+The gateway refuses the API key\.\s+Do: Ask the authority for a valid key/,
  );
  expect(await why.innerText()).toMatch(/\d\d:\d\d:\d\d: reportBetEvent KEY-1 \(staging\): HTTP 401/);
  const top = async (name: string) => (await page.getByRole('region', { name }).boundingBox())?.y ?? 0;
  expect(await top('Why reports wait')).toBeLessThan(await top('Charts'));
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole('link', { name: 'Needs a person' }).first().click();
  await page.getByRole('heading', { name: 'Needs a person' }).waitFor();
  expect(await why.innerText()).toContain('The gateway refuses the API key.');

  world.gateway.faults.clear();
  world.outbox.start();
  await page.getByRole('button', { name: 'Resume…' }).click();
  await page.keyboard.type('the key is valid again');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await why.getByText('This is over.').waitFor();
  await world.outbox.stop();
  expect(await page.title()).toBe(`(${before}) Outbox`);
});

test('a database that lost commits is a tile that leads to the decision with the reports', async ({
  world,
  watched: { page },
}) => {
  await open(page, world.url);
  const lost = page.locator('.tile', { hasText: 'Database lost commits' });
  expect(await lost.count()).toBe(0);
  await world.loseCommit();
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport);
    await open(page, world.url);
    expect(await lost.innerText()).toMatch(/Database lost commits\s+\d+ \w+\s+ago: follow the guide for a failover/);
    expect(await lost.locator('.mark.bad').count()).toBe(1);
    expect(await violationsByScheme(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
  await page.emulateMedia({ colorScheme: null });
  await lost.click();
  await page.getByText('The database had lost commits').waitFor();
  await page.getByRole('heading', { name: 'Decisions' }).waitFor();
});

test('nothing was thrown in the page, and no other host was asked', { tags: 'slice' }, ({
  watched: { complaints, elsewhere },
}) => {
  expect([complaints, elsewhere]).toEqual([[], []]);
});
