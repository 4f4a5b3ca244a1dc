// @module-tag slow: drives Chromium.
import { expect } from 'vitest';
import { betEvent, settledBet, withdrawalEvent } from './bet.js';
import { test } from './browser-test.js';
import { countPrompts, grantGeolocation } from './geolocation.js';
import { call } from './in-page.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

test('a key in a page, or a function that returns it, is refused unless it is allowed, and the refusal does not show it', async ({
  page,
  site,
  gateway,
  options,
}) => {
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', { gateways: options.gateways }, betEvent());
  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'configuration', outcome: 'not-sent' });
  expect(error?.message).toMatch(/gateways\.staging\.apiKey.*allowApiKeyInBrowser/s);
  expect(error?.message).not.toContain('mock-api-key');

  const code = await page.evaluate((baseUrl) => {
    try {
      LocationSDK.configure({ gateways: { staging: { baseUrl, apiKey: () => 'mock-api-key' } } } as never);
    } catch (error) {
      return LocationSDK.isReportingError(error) && error.code;
    }
  }, gateway.url);
  expect(code).toBe('configuration');
  expect(gateway.requests).toEqual([]);
});

test('a key that is allowed in a page causes a warning', async ({ page, site, options }) => {
  await page.goto(site.url);

  const [warning] = await Promise.all([
    page.waitForEvent('console', (message) => message.type() === 'warning'),
    page.evaluate((options) => void LocationSDK.createClient(options), options),
  ]);

  expect(warning.text()).toContain('every visitor can read it');
  expect(warning.text()).not.toContain('mock-api-key');
});

test('functions for the backend, a clientIP and an unknown environment are refused before the player or a server is asked', async ({
  context,
  page,
  site,
  gateway,
  lookups,
  options,
}) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  for (const [name, payload] of [
    ['verifyNin', { nin: '99012345678' }],
    ['reportSettledBet', settledBet()],
    ['reportSettledWithdrawal', { ...withdrawalEvent(), status: 'SUCCESS', timestamp: '1700000000' }],
  ] as const) {
    const { error } = await call(page, name, options, payload as never);
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: 0 });
    expect(error?.message).toContain(`${name} is never available in a page`);
  }
  for (const [bet, callOptions] of [
    [betEvent(), { clientIP: '102.89.23.1' }],
    [{ ...betEvent(), clientIP: '102.89.23.1' }, {}],
  ] as const) {
    const { error } = await call(page, 'reportBetEvent', options, bet, callOptions);
    const issues = [{ path: 'clientIP' }];
    expect(error).toMatchObject({ name: 'ValidationError', code: 'validation', outcome: 'not-sent', issues });
  }
  const onlyStaging = { ...options, gateways: { staging: options.gateways?.staging } };
  const { error } = await call(page, 'reportBetEvent', onlyStaging, betEvent(), { environment: 'production' });
  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(error?.message).toContain('missing: gateways.production.baseUrl, gateways.production.apiKey');

  expect(await prompts()).toBe(0);
  expect([lookups.requests, gateway.requests]).toEqual([[], []]);
});
