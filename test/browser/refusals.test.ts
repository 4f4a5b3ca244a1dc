// @module-tag slow: drives Chromium.
import { expect } from 'vitest';
import { betEvent, settledBet, withdrawalEvent } from './bet.js';
import { test } from './browser-test.js';
import { countPrompts, grantGeolocation } from './geolocation.js';
import { call } from './in-page.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

test('a key in a page is refused unless it is allowed, and the refusal does not show it', async ({ page, site, gateway, options }) => {
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', { gateways: options.gateways }, betEvent());

  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'configuration', outcome: 'not-sent' });
  expect(error?.message).toMatch(/gateways\.staging\.apiKey.*allowApiKeyInBrowser/s);
  expect(error?.message).not.toContain('mock-api-key');
  expect(gateway.requests).toEqual([]);
});

test('a function that returns the key is refused like the key itself', async ({ page, site, gateway }) => {
  await page.goto(site.url);

  const code = await page.evaluate((baseUrl) => {
    try {
      LocationSDK.configure({ gateways: { staging: { baseUrl, apiKey: () => 'mock-api-key' } } });
    } catch (error) {
      return LocationSDK.isReportingError(error) && error.code;
    }
  }, gateway.url);

  expect(code).toBe('configuration');
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

test.for([
  ['verifyNin', { nin: '99012345678' }],
  ['reportSettledBet', settledBet()],
  ['reportSettledWithdrawal', { ...withdrawalEvent(), status: 'SUCCESS', timestamp: '1700000000' }],
] as const)('%s is for the backend and refused in a page', async ([name, payload], { context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  const { error } = await call(page, name, options, payload as never);

  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: 0 });
  expect(error?.message).toContain(`${name} is never available in a page`);
  expect(await prompts()).toBe(0);
  expect(lookups.requests).toEqual([]);
  expect(gateway.requests).toEqual([]);
});

test.for([
  ['as an option', betEvent(), { clientIP: '102.89.23.1' }],
  ['within the payload', { ...betEvent(), clientIP: '102.89.23.1' }, {}],
] as const)('clientIP %s is refused in a page', async ([, bet, callOptions], { context, page, site, gateway, lookups, options }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  const { error } = await call(page, 'reportBetEvent', options, bet, callOptions);

  expect(error).toMatchObject({ name: 'ValidationError', code: 'validation', outcome: 'not-sent', issues: [{ path: 'clientIP' }] });
  expect(await prompts()).toBe(0);
  expect(lookups.requests).toEqual([]);
  expect(gateway.requests).toEqual([]);
});

test('an environment that is not set up is refused before the player is asked', async ({ context, page, site, options }) => {
  await grantGeolocation(context);
  const prompts = await countPrompts(page);
  await page.goto(site.url);

  const gateways = { staging: options.gateways?.staging };
  const { error } = await call(page, 'reportBetEvent', { ...options, gateways }, betEvent(), { environment: 'production' });

  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(error?.message).toContain('missing: gateways.production.baseUrl, gateways.production.apiKey');
  expect(await prompts()).toBe(0);
});
