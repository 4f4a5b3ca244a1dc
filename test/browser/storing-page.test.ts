// @module-tag slow: drives an example.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { inlineScripts } from '../support/code-blocks.js';
import { root } from '../support/run.js';
import { badNetwork } from './bad-network.js';
import { bet, CASES, ended, openBet } from './bet-page.js';
import { test as base } from './browser-test.js';
import { grantGeolocation, POSITION } from './geolocation.js';
import { betsIn, startTutorial } from './tutorial-site.js';

const PAGE = readFileSync(join(root, 'examples/stored-reports.html'), 'utf8');
const STORED = 'This went through.';

/** The page with an outbox in place of the tutorial's, on its server and relay. */
const test = base.extend('world', async ({ context, gateway }, { onCleanup }) => {
  const site = await startTutorial('page-with-relay', gateway.url, PAGE);
  const watched = await badNetwork(site.url, () => ({}));
  onCleanup(async () => void (await Promise.all([watched.close(), site.close()])));
  await grantGeolocation(context);
  const amounts = async () => gateway.gateway.reports().map(({ body }) => Number(body.amount));
  const bets = () => [...betsIn(watched.exchanges).values()];
  return {
    context,
    url: watched.url,
    bets,
    words: { placed: () => STORED, placedBefore: () => STORED },
    amounts,
    gateway,
  };
});

test('its script knows neither doubt nor keys', { tags: 'slice' }, () => {
  const [script = ''] = inlineScripts(PAGE);
  expect(script.trim().split('\n').length).toBeLessThanOrEqual(40);
  expect(script).not.toMatch(/resend|outcome|unknown|key\b|sessionStorage|localStorage|\?\?=|AbortSignal|randomUUID/);
});

test('it stores the report with the position', async ({ world }) => {
  const page = await openBet(world);
  await bet(page);
  await ended(page, STORED);
  await expect
    .poll(() => world.gateway.recorded())
    .toMatchObject([{ amount: 1500, location: { ...POSITION, source: 'gps' } }]);
});

describe('as players press', () => {
  for (const [what, drive] of Object.entries(CASES)) test(what, async ({ world }) => drive(world));
});
