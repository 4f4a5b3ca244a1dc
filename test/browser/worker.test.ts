import { expect } from 'vitest';
import { betEvent } from './bet.js';
import { test } from './browser-test.js';
import { grantGeolocation } from './geolocation.js';
import { callInWorker } from './in-page.js';

const LOCATION = { latitude: 6.4474, longitude: 7.5139, source: 'terminal' };

test('a worker reports a bet with the location that the page gives it', async ({ page, site, gateway, options }) => {
  await page.goto(`${site.url}/empty`);

  const { result } = await callInWorker(page, 'reportBetEvent', options, betEvent(), { location: LOCATION });

  expect(result).toMatchObject({ outcome: 'recorded', reference: 'BET-1', location: LOCATION });
  expect(gateway.recorded()).toMatchObject([{ bet_id: 'BET-1', location: LOCATION }]);
});

test('a worker has no geolocation, and the error says so', async ({ context, page, site, gateway, options }) => {
  await grantGeolocation(context);
  await page.goto(`${site.url}/empty`);

  const { error } = await callInWorker(page, 'reportBetEvent', { ...options, location: { ip: { enabled: false } } }, betEvent());

  expect(error).toMatchObject({ code: 'location', outcome: 'not-sent', steps: [{ step: 'browser-geolocation', reason: 'not-available' }] });
  expect(gateway.requests).toEqual([]);
});

test('a worker is as public as its page: a key is refused unless it is allowed', async ({ page, site, gateway, options }) => {
  await page.goto(`${site.url}/empty`);

  const { error } = await callInWorker(page, 'reportBetEvent', { gateways: options.gateways }, betEvent(), { location: LOCATION });

  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(gateway.requests).toEqual([]);
});

test('what is for the backend is refused in a worker too', async ({ page, site, gateway, options }) => {
  await page.goto(`${site.url}/empty`);

  const { error } = await callInWorker(page, 'verifyNin', options, { nin: '99012345678' });

  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(gateway.requests).toEqual([]);
});
