// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { RelayedOptions } from '../../../src/core/client/options.js';
import { type ClientOptions, ConfigurationError, createClient } from '../../../src/entries/index.js';
import { createClient as createClientOfPages } from '../../../src/entries/page.js';
import { betEvent, betUser, settledBet, settledWithdrawal } from '../../support/factories.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';
import { json, recordingFetch } from '../../support/recording-fetch.js';

const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'public-key' } };

function clientInPage(options: ClientOptions = {}) {
  const { fetch, requests } = recordingFetch(() => json({ success: true }));
  const warnings: string[] = [];
  const client = createClient({
    gateways,
    allowApiKeyInBrowser: true,
    fetch,
    logger: { warn: (line) => warnings.push(line) },
    ...options,
  });
  return { client, requests, warnings };
}

describe('an API key in a page', () => {
  test.each([
    ['a string', 'secret-key'],
    ['a function', () => 'secret-key'],
  ])('given as %s is refused', async (_kind, apiKey) => {
    const error = await failureOf(() =>
      createClient({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey } } }),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('gateways.staging.apiKey');
    expect(error.message).toContain('allowApiKeyInBrowser');
    expect(error.message).not.toContain('secret-key');
  });

  test.each(['apiKey', 'api_key', 'token'])('given as %s beside the other options is told to be a secret', (name) => {
    for (const others of [{}, { relayUrl: '/relay' }])
      for (const create of [createClient, createClientOfPages]) {
        const options: object = { ...others, [name]: 'secret-key' };
        expect(() => create(options as RelayedOptions)).toThrow(
          `${name}: is a secret, and every visitor can read this page or app: keep it in your backend, behind relayUrl`,
        );
      }
  });

  test('is refused for production too', () => {
    expect(() =>
      createClient({ gateways: { production: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } } }),
    ).toThrow('gateways.production.apiKey');
  });

  test('is possible with allowApiKeyInBrowser, which warns once', async () => {
    const { client, warnings, requests } = clientInPage();
    await client.reportBetEvent(betEvent(), { location: { latitude: 1, longitude: 2 } });
    await client.reportBetEvent(betEvent(), { location: { latitude: 1, longitude: 2 } });
    expect(requests[0]?.headers['x-api-key']).toBe('public-key');
    // No relay adds the player.
    expect(requests[0]?.body).toMatchObject({ user: betUser() });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('allowApiKeyInBrowser');
    expect(warnings[0]).not.toContain('public-key');
  });

  test('allowApiKeyInBrowser without a key causes no warning', () => {
    expect(clientInPage({ gateways: {} }).warnings).toEqual([]);
  });
});

describe('what never runs in a page', () => {
  test.each<[string, (client: ReturnType<typeof createClient>) => Promise<unknown>]>([
    ['verifyNin', (client) => client.verifyNin('99012345678')],
    ['reportSettledBet', (client) => client.reportSettledBet(settledBet())],
    ['reportSettledWithdrawal', (client) => client.reportSettledWithdrawal(settledWithdrawal())],
  ])('%s, for any options', async (operation, call) => {
    const { client, requests } = clientInPage();
    const error = await failureOf(call(client));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ operation, outcome: 'not-sent' });
    expect(error.message).toContain('Nothing was sent. Call it from your backend.');
    expect(requests).toEqual([]);
  });
});

test('clientIP is for servers', async () => {
  const { client, requests } = clientInPage();
  expect(await issuesOf(client.reportBetEvent(betEvent(), { clientIP: '102.89.23.1' }))).toEqual(['clientIP: invalid']);
  expect(await issuesOf(client.reportBetEvent({ ...betEvent(), clientIP: '102.89.23.1' }))).toEqual([
    'clientIP: invalid',
  ]);
  expect(requests).toEqual([]);
});

test('requests have no cookies and no referrer', async () => {
  let seen: object = {};
  const { client } = clientInPage({
    fetch: async (_url, init) => {
      seen = init;
      return json({ message: 'ok' });
    },
  });
  await client.reportBetEvent(betEvent(), { location: { latitude: 1, longitude: 2 } });
  expect(seen).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'manual' });
});

test('environment variables are neither read nor named', async () => {
  process.env.LOCATION_SDK_STAGING_BASE_URL = 'https://from-variable.example.com';
  try {
    const { message } = await failureOf(
      createClient().reportBetEvent(betEvent(), { location: { latitude: 1, longitude: 2 } }),
    );
    expect(message).toContain('this page has no relay: set relayUrl');
    expect(message).not.toContain('LOCATION_SDK');
  } finally {
    delete process.env.LOCATION_SDK_STAGING_BASE_URL;
  }
});
