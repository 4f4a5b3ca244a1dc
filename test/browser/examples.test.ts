// @module-tag slow: drives examples.
import { once } from 'node:events';
import { expect } from 'vitest';
import { startNode } from '../support/run.js';
import { bet, ended, NO_ANSWER, openBet, PLACED, pressTwice } from './bet-page.js';
import { test } from './browser-test.js';
import { denyGeolocation, grantGeolocation, POSITION } from './geolocation.js';

/** The example backend, which reports to the test's gateway. */
const withBackend = test.extend('backend', async ({ gateway }, { onCleanup }) => {
  const child = startNode(['examples/backend.js'], { LOCATION_SDK_MOCK: gateway.url });
  onCleanup(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const [line] = child.stdout ? await once(child.stdout, 'data') : [];
  return /http:\S+/.exec(String(line))?.[0] ?? '';
});

withBackend(
  'the example page and its backend make one bet, however its player presses',
  async ({ context, backend, gateway }) => {
    await grantGeolocation(context);
    const amounts = async () => gateway.gateway.reports().map(({ body }) => Number(body.amount));
    const world = { context, url: `${backend}/`, amounts };
    await pressTwice(world, 150, 150);
    expect(gateway.recorded()).toMatchObject([{ amount: 1500, location: { ...POSITION, source: 'gps' } }]);
    const page = await openBet(world);
    await page.route('**/bets', (route) => route.abort());
    await bet(page, 900);
    await ended(page, NO_ANSWER);
    await page.unroute('**/bets');
    await page.reload();
    await bet(page, 900);
    await ended(page, 'Your bet of 900 is placed.');
    expect(await amounts()).toEqual([1500, 900]);
  },
);

withBackend('the backend uses the address if the player gives no location', async ({ context, backend, gateway }) => {
  await denyGeolocation(context);
  const page = await openBet({ context, url: `${backend}/`, amounts: async () => [] });
  await bet(page);
  await ended(page, PLACED);
  expect(gateway.recorded()).toMatchObject([{ location: { source: 'mock' } }]);
});
