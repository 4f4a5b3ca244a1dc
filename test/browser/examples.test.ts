// @module-tag slow: drives examples.
import { once } from 'node:events';
import { expect } from 'vitest';
import { startNode } from '../support/run.js';
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
  'the example page sends the location that the browser gives, and the backend reports it',
  async ({ context, page, backend, gateway }) => {
    await grantGeolocation(context);
    await page.goto(`${backend}/`);

    const answered = page.waitForResponse(`${backend}/bets`);
    await page.click('#bet');

    expect((await answered).status()).toBe(200);
    expect(gateway.recorded()).toMatchObject([{ amount: 1500, location: { ...POSITION, source: 'gps' } }]);
    await page.getByText('The bet is placed.').waitFor();
    await page.route('**/bets', (route) => route.abort());
    await page.click('#bet');
    await page.getByText('Press again: it is the same bet.').waitFor();
    await page.unroute('**/bets');
    await page.reload();
    await page.click('#bet');
    await page.getByText('The bet is placed.').waitFor();
    expect(gateway.recorded()).toHaveLength(2);
  },
);

withBackend(
  'the backend uses the address if the player gives no location',
  async ({ context, page, backend, gateway }) => {
    await denyGeolocation(context);
    await page.goto(`${backend}/`);

    const answered = page.waitForResponse(`${backend}/bets`);
    await page.click('#bet');

    expect((await answered).status()).toBe(200);
    expect(gateway.recorded()).toMatchObject([{ location: { source: 'mock' } }]);
  },
);
