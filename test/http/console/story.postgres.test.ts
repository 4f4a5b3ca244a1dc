// @module-tag slow: needs PostgreSQL.
import { expect, test } from 'vitest';
import { launchChromium } from '../../browser/chromium.js';
import { mendWrongDeploy, open, reopenDismissed } from '../../browser/console-story.js';
import { consoleWorld } from '../../browser/console-world.js';
import { openStore } from '../../outbox/stores/postgres/world.js';

test('over PostgreSQL, 200 reports of a wrong deploy are recorded in a few clicks, and dismissed ones are reopened', async ({
  onTestFinished,
}) => {
  const [world, browser] = await Promise.all([consoleWorld(() => openStore()), launchChromium()]);
  onTestFinished(async () => {
    await browser.close();
    await world.close();
  });
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await mendWrongDeploy(page, world);
  for (const hash of ['#/search', '#/proof', '#/person']) await open(page, world.url, hash);
  await page.getByRole('region', { name: 'Decisions' }).getByText('Sent again: 200 reports').waitFor();
  await reopenDismissed(page, world, { name: 'ada@example.com', mayAct: true });
  expect(complaints).toEqual([]);
});
