import { expect } from 'vitest';
import { betEvent } from './bet.js';
import { test } from './browser-test.js';
import { call } from './in-page.js';

test('a position that the player grants is sent as gps', async ({ context, page, site, gateway, lookups, options }) => {
  await context.grantPermissions(['geolocation']);
  await context.setGeolocation({ latitude: 6.5244, longitude: 3.3792, accuracy: 25 });
  await page.goto(site.url);

  const { result } = await call(page, 'reportBetEvent', options, betEvent());

  const location = { latitude: 6.5244, longitude: 3.3792, accuracy: 25, source: 'gps' };
  expect(result).toMatchObject({ outcome: 'recorded', operation: 'reportBetEvent', reference: 'BET-1', location });
  expect(gateway.gateway.reports()).toMatchObject([{ operation: 'reportBetEvent', body: { ...betEvent(), location } }]);
  expect(lookups.requests).toEqual([]);
});
