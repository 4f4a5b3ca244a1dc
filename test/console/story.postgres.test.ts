// @module-tag slow: needs PostgreSQL.
import { expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { mendWrongDeploy, open } from '../browser/console-story.js';
import { consoleWorld } from '../browser/console-world.js';
import { openStore } from '../outbox/stores/postgres/world.js';

test('over PostgreSQL, after a wrong deploy, 200 reports go from quarantined to recorded in a few clicks', async ({ onTestFinished }) => {
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
  expect(complaints).toEqual([]);
});
