import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Client,
  type ClientOptions,
  ConfigurationError,
  createClient,
  fixedLocation,
} from '../../../src/entries/index.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { relayWorld } from '../../http/relay/world.js';
import { betEvent, settledBet } from '../../support/factories.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';
import { recordingFetch } from '../../support/recording-fetch.js';

const VARIABLES = [
  'ENVIRONMENT',
  'STAGING_BASE_URL',
  'STAGING_API_KEY',
  'PRODUCTION_BASE_URL',
  'PRODUCTION_API_KEY',
  'MOCK',
];
const set = (name: string, value: string) => vi.stubEnv(`LOCATION_SDK_${name}`, value);

beforeEach(() => {
  for (const name of VARIABLES) vi.stubEnv(`LOCATION_SDK_${name}`, undefined);
});
afterEach(() => vi.unstubAllEnvs());

function recordingClient(options: ClientOptions = {}) {
  const { fetch, requests } = recordingFetch();
  const warnings: string[] = [];
  const client = createClient({ fetch, logger: { warn: (line) => warnings.push(line) }, ...options });
  const reached = () => requests.map(({ url, headers }) => `${new URL(url).origin} ${headers['x-api-key']}`);
  return { client, requests, warnings, reached };
}

test('addresses and keys are read from the environment variables', async () => {
  set('STAGING_BASE_URL', 'https://staging.example.com');
  set('STAGING_API_KEY', 'staging-key');
  set('PRODUCTION_BASE_URL', 'https://production.example.com');
  set('PRODUCTION_API_KEY', 'production-key');
  const { client, reached } = recordingClient();
  await client.reportSettledBet(settledBet());
  await client.reportSettledBet(settledBet(), { environment: 'production' });
  expect(reached()).toEqual([
    'https://staging.example.com staging-key',
    'https://production.example.com production-key',
  ]);
});

test('options in the code take precedence, and the variables complete them', async () => {
  set('STAGING_BASE_URL', 'https://from-variable.example.com');
  set('STAGING_API_KEY', 'key-from-variable');
  const { client, reached } = recordingClient({ gateways: { staging: { baseUrl: 'https://from-code.example.com' } } });
  await client.reportSettledBet(settledBet());
  expect(reached()).toEqual(['https://from-code.example.com key-from-variable']);
});

test.each(['baseUrl', 'apiKey'])(
  'an option %s of the code that is undefined is refused, and no variable replaces it: it may be of another licence',
  async (option) => {
    set('PRODUCTION_BASE_URL', 'https://production.example.com');
    set('PRODUCTION_API_KEY', 'key-of-another-licence');
    const production = { baseUrl: 'https://production.example.com', apiKey: 'key', [option]: process.env.NOT_SET };
    const { message } = await failureOf(() => createClient({ gateways: { production } }));
    expect(message).toContain(`gateways.production.${option}: is undefined; set it, or leave the option out`);
    expect(message).not.toContain('key-of-another-licence');
  },
);

test('a client keeps the variables with which it was made', async () => {
  set('STAGING_BASE_URL', 'https://staging.example.com');
  set('STAGING_API_KEY', 'first');
  const { client, reached } = recordingClient();
  set('STAGING_API_KEY', 'second');
  await client.reportSettledBet(settledBet());
  expect(reached()).toEqual(['https://staging.example.com first']);
});

test('an empty variable counts as missing', async () => {
  set('STAGING_BASE_URL', '');
  set('STAGING_API_KEY', '');
  const { message } = await failureOf(recordingClient().client.reportSettledBet(settledBet()));
  expect(message).toContain('gateways.staging.baseUrl (or LOCATION_SDK_STAGING_BASE_URL)');
});

test.each([
  ['STAGING_BASE_URL', 'http://gateway.example.com', 'gateways.staging.baseUrl'],
  ['PRODUCTION_API_KEY', 'secret\n', 'gateways.production.apiKey'],
])('a variable %s that cannot be used is refused and not repeated', async (name, value, path) => {
  set(name, value);
  const { message } = await failureOf(() => createClient());
  expect(message).toContain(path);
  expect(message).not.toContain('secret');
});

describe('LOCATION_SDK_ENVIRONMENT', () => {
  beforeEach(() => {
    for (const name of ['staging', 'production']) {
      set(`${name.toUpperCase()}_BASE_URL`, `https://${name}.example.com`);
      set(`${name.toUpperCase()}_API_KEY`, `${name}-key`);
    }
  });
  const reachedWith = async (options: ClientOptions, ...call: Parameters<Client['reportSettledBet']>[1][]) => {
    const { client, reached } = recordingClient(options);
    const { environment } = await client.reportSettledBet(settledBet(), ...call);
    return [environment, ...reached()];
  };
  const STAGING = ['staging', 'https://staging.example.com staging-key'];
  const PRODUCTION = ['production', 'https://production.example.com production-key'];

  test('is the environment of calls that name none', async () => {
    set('ENVIRONMENT', 'production');
    expect(await reachedWith({})).toEqual(PRODUCTION);
    set('ENVIRONMENT', 'staging');
    expect(await reachedWith({})).toEqual(STAGING);
  });

  test('gives way to the environment of the code, and to that of the call', async () => {
    set('ENVIRONMENT', 'production');
    expect(await reachedWith({ environment: 'staging' })).toEqual(STAGING);
    expect(await reachedWith({}, { environment: 'staging' })).toEqual(STAGING);
    set('ENVIRONMENT', 'staging');
    expect(await reachedWith({ environment: 'production' })).toEqual(PRODUCTION);
  });

  test.each([undefined, ''])('is staging if it is %j: production is never used unless it is named', async (value) => {
    if (value !== undefined) set('ENVIRONMENT', value);
    expect(await reachedWith({})).toEqual(STAGING);
    expect(await reachedWith({ environment: undefined })).toEqual(STAGING);
  });

  test.each([
    ['prod', ' (did you mean production?)'],
    ['Production', ' (did you mean production?)'],
    ['production ', ' (did you mean production?)'],
    ['live', ''],
    ['https://production.example.com', ''],
  ])('%j is a configuration error that names the variable and not its value', async (value, hint) => {
    set('ENVIRONMENT', value);
    const error = await failureOf(() => createClient());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(
      `LOCATION_SDK_ENVIRONMENT: expected staging or production${hint}, got a string of length ${value.length}`,
    );
    expect(() => createClient({ environment: 'staging' })).not.toThrow();
    expect(() => createClient({ relayUrl: 'https://operator.example.com/relay' })).not.toThrow();
  });

  test('production beside a mock gateway is refused', async () => {
    set('ENVIRONMENT', 'production');
    set('MOCK', 'http://127.0.0.1:4010');
    const { message } = await failureOf(() => createClient());
    expect(message).toContain('LOCATION_SDK_ENVIRONMENT: is production, but LOCATION_SDK_MOCK is set');
    set('ENVIRONMENT', 'staging');
    expect(await reachedWith({})).toEqual(['staging', 'http://127.0.0.1:4010 mock-api-key']);
  });
});

describe('a client that has only the variables of production', () => {
  beforeEach(() => {
    set('PRODUCTION_BASE_URL', 'https://production.example.com');
    set('PRODUCTION_API_KEY', 'production-key');
  });

  test('reports nothing to it, and the error names both ways to choose it', async () => {
    const { client, reached } = recordingClient();
    const { message } = await failureOf(client.reportSettledBet(settledBet()));
    expect(message).toContain('the staging gateway is not set up');
    expect(message).toContain(
      "The production gateway is set up: to report to it, set environment: 'production', or LOCATION_SDK_ENVIRONMENT=production.",
    );
    expect(message).not.toContain('production-key');
    expect(reached()).toEqual([]);
  });

  test('is not led to production if a part of staging is there, or if production is incomplete', async () => {
    set('STAGING_BASE_URL', 'https://staging.example.com');
    expect((await failureOf(recordingClient().client.reportSettledBet(settledBet()))).message).not.toContain(
      'production gateway',
    );
    set('STAGING_BASE_URL', '');
    set('PRODUCTION_API_KEY', '');
    expect((await failureOf(recordingClient().client.reportSettledBet(settledBet()))).message).not.toContain(
      'production gateway',
    );
  });
});

describe('LOCATION_SDK_MOCK', () => {
  const given: ClientOptions = {
    gateways: {
      staging: { baseUrl: 'https://staging.example.com', apiKey: () => 'real-staging-key' },
      production: { baseUrl: 'https://production.example.com', apiKey: 'production-key' },
    },
    location: fixedLocation({ latitude: 1, longitude: 2, source: 'terminal' }),
  };

  beforeEach(() => set('MOCK', 'http://mock-gateway:4010'));

  test.each([
    ['the proxy hides the address', '10.0.0.7', /^clientIP is a private address .*LocationError.*trustedProxies/],
    ['trustedProxies gives none', undefined, /^clientIP is missing, or undefined: .*LocationError.*trustedProxies/],
  ])('says once that no player could be located: %s', async (_what, clientIP, line) => {
    const { client, warnings } = recordingClient();
    for (const bet_id of ['B-1', 'B-2']) await client.reportBetEvent(betEvent({ bet_id }), { clientIP });
    const [, ...told] = warnings;
    expect(told).toEqual([expect.stringMatching(line)]);
    expect(told[0]).not.toContain('10.0.0.7');
  });

  test('says nothing of an address that can be located, or of a location that the caller gives', async () => {
    const { client, warnings } = recordingClient();
    await client.reportBetEvent(betEvent({ bet_id: 'B-1' }), { clientIP: '102.89.23.47' });
    await client.reportBetEvent(betEvent({ bet_id: 'B-2' }), {
      location: { latitude: 6, longitude: 3, source: 'gps' },
    });
    await client.reportSettledBet(settledBet());
    expect(warnings).toHaveLength(1);
  });

  test('sends all staging requests to the mock, with its key and an invented location', async () => {
    const { client, reached, requests } = recordingClient();
    await client.reportBetEvent(betEvent());
    expect(reached()).toEqual(['http://mock-gateway:4010 mock-api-key']);
    expect(requests[0]?.url).toBe('http://mock-gateway:4010/integration-gateway/external/report-bet-event');
    expect(requests[0]?.body?.location).toMatchObject({ source: 'mock' });
  });

  test("takes precedence over the client's own staging gateway and location", async () => {
    const { client, reached, requests } = recordingClient(given);
    await client.reportBetEvent(betEvent());
    expect(reached()).toEqual(['http://mock-gateway:4010 mock-api-key']);
    expect(requests[0]?.body?.location).toMatchObject({ source: 'mock' });
  });

  test('uses the default paths, for any option paths', async () => {
    const { client, requests } = recordingClient({ ...given, paths: { reportBetEvent: 'v2/bets' } });
    await client.reportBetEvent(betEvent());
    expect(requests[0]?.url).toBe('http://mock-gateway:4010/integration-gateway/external/report-bet-event');
  });

  test.each<[string, ClientOptions['gateways']]>([
    ['wrong', { staging: { baseUrl: 'http://staging.example.com/?key=1', apiKey: 'two words' } }],
    ['missing', {}],
  ])('needs no settings of staging: they may be %s', async (_, gateways) => {
    const { client, reached } = recordingClient({ gateways });
    await client.reportBetEvent(betEvent());
    expect(reached()).toEqual(['http://mock-gateway:4010 mock-api-key']);
  });

  test('invents a location in Lagos, and sends one that is passed with the call', async () => {
    const { client, requests } = recordingClient(given);
    await client.reportBetEvent(betEvent());
    await client.reportBetEvent(betEvent(), { location: { latitude: 9.07, longitude: 7.49, source: 'till' } });
    expect(requests.map(({ body }) => body?.location)).toEqual([
      { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', country: 'NG', accuracy: 50, source: 'mock' },
      { latitude: 9.07, longitude: 7.49, source: 'till' },
    ]);
  });

  test('leaves validation and the other options as they are', async () => {
    const { fetch, requests } = recordingFetch();
    const client = createClient({
      fetch,
      logger: {},
      validation: 'partial',
      maxDecimals: 2,
      headers: { 'x-front': 'yes' },
    });
    await client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' } });
    expect(requests[0]?.headers).toMatchObject({ 'x-front': 'yes' });
    expect(await issuesOf(client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' }, amount: 0.125 }))).toEqual([
      'amount: invalid',
    ]);
    expect(
      await issuesOf(recordingClient().client.reportBetEvent({ bet_id: 'B-1', user: betEvent().user } as never)),
    ).toEqual(['amount: missing']);
  });

  test('takes precedence over a location that would be looked up', async () => {
    const { client, requests } = recordingClient();
    await client.reportBetEvent(betEvent(), { clientIP: '10.0.0.1' });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body?.location).toMatchObject({ source: 'mock' });
  });

  const FOR_PRODUCTION = { environment: 'production' } as const;
  const REFUSED = {
    code: 'configuration',
    outcome: 'not-sent',
    message: expect.stringContaining('LOCATION_SDK_MOCK is set, and while it is, nothing goes to production. Unset it'),
  };

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['a bet', (client) => client.reportBetEvent(betEvent(), FOR_PRODUCTION)],
    ['a settled bet', (client) => client.reportSettledBet(settledBet(), FOR_PRODUCTION)],
    ['a number to verify', (client) => client.verifyNin('99012345678', FOR_PRODUCTION)],
  ])('keeps %s from production, whether the client is set up for it or not', async (_, call) => {
    for (const options of [given, { ...given, ...FOR_PRODUCTION }, {}]) {
      const { client, requests } = recordingClient(options);
      expect(await failureOf(call(client))).toMatchObject(REFUSED);
      expect(requests).toEqual([]);
    }
  });

  test('needs no settings of production: they may be wrong', async () => {
    const production = { baseUrl: 'http://production.example.com/?key=1', apiKey: process.env.NOT_SET };
    const { client, reached } = recordingClient({ gateways: { production } });
    await client.reportBetEvent(betEvent());
    expect(reached()).toEqual(['http://mock-gateway:4010 mock-api-key']);
  });

  test('keeps a report from production that was in doubt before the variable was set', async () => {
    set('MOCK', '');
    const broken = recordingClient({ ...given, fetch: () => Promise.reject(new Error('broke')), retry: { limit: 0 } });
    const error = await failureOf(broken.client.reportSettledBet(settledBet(), FOR_PRODUCTION));
    expect(error).toMatchObject({ outcome: 'unknown' });
    set('MOCK', 'http://mock-gateway:4010');
    const { client, requests } = recordingClient(given);
    expect(await failureOf(client.resend(error))).toMatchObject({ ...REFUSED, outcome: 'unknown' });
    expect(requests).toEqual([]);
  });

  test('keeps what a relay gets from production', async () => {
    const { fetch, requests } = recordingFetch();
    const { send } = relayWorld({}, { ...given, ...FOR_PRODUCTION, fetch });
    expect(await send()).toMatchObject({
      status: 503,
      body: { error: { code: 'configuration', outcome: 'not-sent' } },
    });
    expect(requests).toEqual([]);
  });

  test('keeps an outbox from production: it takes no report for it, and sends none that waits', async () => {
    const store = memoryStore();
    const outboxOf = (client: Client) => createOutbox({ client, store });
    set('MOCK', '');
    await outboxOf(recordingClient(given).client).reportSettledBet(settledBet(), FOR_PRODUCTION);
    set('MOCK', 'http://mock-gateway:4010');
    const { client, requests, reached } = recordingClient(given);
    const outbox = outboxOf(client);
    const other = settledBet({ bet_id: 'B-2' });
    expect(await failureOf(outbox.reportSettledBet(other, FOR_PRODUCTION))).toMatchObject(REFUSED);
    outbox.start();
    const { done } = await outbox.reportSettledBet(other);
    await done;
    await outbox.stop();
    expect(requests).toHaveLength(1);
    expect(reached()).toEqual(['http://mock-gateway:4010 mock-api-key']);
  });

  test('is logged once, when the client is made', async () => {
    const { client, warnings } = recordingClient();
    expect(warnings).toEqual([expect.stringContaining('LOCATION_SDK_MOCK')]);
    await client.reportSettledBet(settledBet());
    await client.reportSettledBet(settledBet());
    expect(warnings).toHaveLength(1);
  });

  test('is logged once for all clients with the same logger', () => {
    const warnings: string[] = [];
    const logger = { warn: (line: string) => warnings.push(line) };
    for (const _ of [1, 2]) createClient({ logger });
    expect(warnings).toEqual([expect.stringContaining("staging requests have the mock gateway's address and key")]);
  });

  test.each(['mock-gateway:4010', 'ftp://mock-gateway', 'http://user:secret@mock-gateway', 'nonsense'])(
    'with the address %s is a configuration error that names the variable',
    async (address) => {
      set('MOCK', address);
      const { message } = await failureOf(() => createClient());
      expect(message).toContain('LOCATION_SDK_MOCK');
      expect(message).not.toContain('secret');
    },
  );

  test('has no effect if it is empty', async () => {
    set('MOCK', '');
    const { client, reached, warnings } = recordingClient(given);
    await client.reportBetEvent(betEvent());
    expect(reached()).toEqual(['https://staging.example.com real-staging-key']);
    expect(warnings).toEqual([]);
  });
});
