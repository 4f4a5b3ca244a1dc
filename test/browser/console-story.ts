import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleVisitor } from '../../src/entries/outbox-console.js';
import type { ConsoleWorld } from './console-world.js';

/** Opens a view anew, and waits until it shows its data. */
export async function open(page: Page, url: string, hash = '#/'): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${url}${hash}`);
  await loaded(page);
}

export const loaded = (page: Page) =>
  page.locator('#link[data-state=live]').and(page.locator(':root:has(main:not([aria-busy])) *')).waitFor();

export const tile = (page: Page, name: string) => page.locator('.tile', { hasText: name }).locator('b');

/**
 * The night of a colleague on call: a wrong deploy of the gateway left 200 reports that need a person, and all of them
 * get recorded.
 */
export async function mendWrongDeploy(page: Page, world: ConsoleWorld): Promise<void> {
  await world.report(200, { refusedWith: 'amount must be a number' });
  await open(page, world.url);
  await expect.poll(() => tile(page, 'Needs a person').textContent()).toBe('200');

  let clicks = 0;
  const click = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
    await page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click();
    clicks += 1;
  };
  await click(/Needs a person/, 'link');
  await click(/unprocessable, HTTP 422/);
  await click('Send all again…');
  await page.getByText('200 × Bet initiated').waitFor();
  await page.keyboard.type('The gateway was mended at 14:05');
  await click('Send again');
  await page.getByText('200 reports to be sent again.').waitFor();
  world.outbox.start();
  await click(/^Overview/, 'link');
  await expect.poll(() => tile(page, 'Recorded').textContent()).toBe('200');
  expect(await tile(page, 'Needs a person').textContent()).toBe('0');
  expect(world.gateway.reports()).toHaveLength(200);
  expect(clicks).toBeLessThan(10);

  const [report] = await world.outbox.list({ limit: 1 });
  expect(report?.decisions).toMatchObject([
    { action: 'retry', reason: 'The gateway was mended at 14:05', by: 'ada@example.com' },
  ]);
  await world.outbox.stop();
}

/** A colleague dismissed a group by mistake. Ada finds the decision by the colleague's name, and reopens the reports. */
export async function reopenDismissed(page: Page, world: ConsoleWorld, ada: ConsoleVisitor): Promise<void> {
  await world.report(4, { refusedWith: 'the odds are missing', name: 'GROUP' });
  world.be({ ...ada, name: 'Ngozi Adébáyọ̀' });
  await open(page, world.url, '#/person');
  await page.getByRole('button', { name: /such as GROUP/ }).click();
  await page.getByRole('button', { name: 'Dismiss all…' }).click();
  await page.getByRole('dialog').getByText('4 reports', { exact: true }).waitFor();
  await page.keyboard.type('bets of the load test');
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await page.getByText('4 reports dismissed.').waitFor();

  world.be(ada);
  await open(page, world.url);
  await page.keyboard.press('5');
  await page.getByRole('searchbox', { name: 'Person' }).fill('adebayo');
  await page.getByRole('combobox', { name: 'Decision' }).selectOption('Dismissed');
  await page.keyboard.press('Enter');
  const found = page.locator('.decisions li');
  await expect
    .poll(() => found.allTextContents())
    .toMatchObject([expect.stringMatching(/^Dismissed: 4 reportsbets of the load test.*by Ngozi Adébáyọ̀/)]);
  await page.getByRole('link', { name: 'Dismissed: 4 reports' }).click();
  const reports = page.getByRole('region', { name: 'Reports of this decision' }).getByRole('link');
  await expect.poll(() => reports.count()).toBe(4);
  await page.getByRole('button', { name: 'Reopen…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('Enter a reason').waitFor();
  await page.keyboard.type('they were real bets');
  await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('4 reports reopened.').waitFor();
  await expect.poll(() => reports.first().textContent()).toContain('Needs a person');
  expect(await page.getByRole('button', { name: 'Reopen…' }).count()).toBe(0);
  await page.getByRole('link', { name: 'by another decision' }).click();
  await page.getByText('Undone: 4 reports').waitFor();
  await page.getByText('they were real bets').waitFor();
  const rows = await world.outbox.list({ state: 'quarantined' });
  expect(rows.filter(({ reference }) => reference.startsWith('GROUP'))).toMatchObject(
    Array.from({ length: 4 }, () => ({
      decisions: [
        { action: 'dismissed', by: 'Ngozi Adébáyọ̀' },
        { action: 'reopened', by: ada.name, reason: 'they were real bets' },
      ],
    })),
  );
}
