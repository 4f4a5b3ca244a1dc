import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleWorld } from './console-world.js';

/** Opens a view anew, and waits until it shows its data. */
export async function open(page: Page, url: string, hash = '#/'): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${url}${hash}`);
  await loaded(page);
}

export const loaded = (page: Page) => page.locator('#link[data-state=live]').and(page.locator(':root:has(main:not([aria-busy])) *')).waitFor();

export const tile = (page: Page, name: string) => page.locator('.tile', { hasText: name }).locator('b');

/** The night of a colleague on call: a wrong deploy of the gateway left 200 reports that need a person, and all of them get recorded. */
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
  expect(report?.decisions).toMatchObject([{ action: 'retry', reason: 'The gateway was mended at 14:05', by: 'ada@example.com' }]);
  await world.outbox.stop();
}
