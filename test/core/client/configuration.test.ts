import { beforeAll, describe, expect, test } from 'vitest';
import { hasCode } from '../../../src/core/errors/errors.js';
import { type ClientOptions, ConfigurationError, createClient } from '../../../src/entries/index.js';
import { betEvent, settledBet } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { recordingFetch } from '../../support/recording-fetch.js';

const location = { latitude: 6.45, longitude: 3.39 };
const withBase = (baseUrl: string, more: ClientOptions = {}) =>
  createClient({ gateways: { staging: { baseUrl, apiKey: 'key' } }, ...more });
const refusal = (options: unknown) => failureOf(() => createClient(options as ClientOptions));

/** The address of a report under a base address. */
async function addressUnder(baseUrl: string, more: ClientOptions = {}) {
  const { fetch, requests } = recordingFetch();
  await withBase(baseUrl, { ...more, fetch }).reportSettledBet(settledBet());
  return requests[0]?.url;
}

test('a client can be made without options: missing options are reported when they are needed', () => {
  expect(() => createClient()).not.toThrow();
});

test('all wrong options are reported at once', async () => {
  const error = await refusal({
    environment: 'live',
    timeoutMs: -1,
    retry: { limit: 1.5 },
    location: { required: 'yes', fixed: { latitude: 91, longitude: 3 } },
    logger: 'console',
    paths: { reportBetEvent: 'https://elsewhere.example' },
  });
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', retryable: false });
  for (const path of [
    'environment',
    'timeoutMs',
    'retry.limit',
    'location.required',
    'location.fixed.latitude',
    'logger',
    'paths.reportBetEvent',
  ]) {
    expect(error.message).toContain(`- ${path}: `);
  }
  expect(error.message).toContain('7 problems');
});

test('problems of the addresses and keys of both environments are reported at once', async () => {
  const error = await refusal({
    gateways: {
      staging: { baseUrl: 'http://gateway.example.com', apiKey: 'two words' },
      production: { baseUrl: 'nonsense', apiKey: '' },
    },
  });
  expect(error.message).toContain('4 problems');
  for (const path of ['staging.baseUrl', 'staging.apiKey', 'production.baseUrl', 'production.apiKey'])
    expect(error.message).toContain(`- gateways.${path}: `);
});

test.each([
  [{ enviroment: 'staging' }, 'enviroment: unknown field enviroment; did you mean environment?'],
  [
    { gateways: { staging: { baseURL: 'x' } } },
    'gateways.staging.baseURL: unknown field baseURL; did you mean baseUrl?',
  ],
  [{ location: { ip: { provider: [] } } }, 'did you mean providers?'],
  [{ retries: 3 }, 'retries: unknown field retries'],
  [{ somethingElse: 1 }, 'remove it'],
])('an unknown option %j is refused with the nearest known name', async (options, expected) => {
  expect((await refusal(options)).message).toContain(expected);
});

test.each([[null], ['https://gateway.example.com'], [[]], [7]])('%j instead of options is refused', async (options) => {
  expect(hasCode(await refusal(options), 'configuration')).toBe(true);
});

test.each(['options', 'gateways', 'location', 'location.fixed'])(
  'a getter of %s that throws makes its option invalid, and its error is not shown',
  async (place) => {
    const throwing = {
      get latitude() {
        throw new Error('do-not-repeat-this');
      },
    };
    const options = {
      options: throwing,
      gateways: { gateways: throwing },
      location: { location: throwing },
      'location.fixed': { location: { fixed: throwing } },
    };
    const error = await refusal(options[place as keyof typeof options]);
    expect(hasCode(error, 'configuration')).toBe(true);
    expect(error.message).toContain('a getter or proxy threw');
    expect(error.message).not.toContain('do-not-repeat-this');
  },
);

describe('base address', () => {
  test('http is refused', async () => {
    expect((await failureOf(() => withBase('http://gateway.example.com'))).message).toContain(
      'must begin with https://',
    );
  });

  test.each(['ftp://gateway.example.com', 'javascript:alert(1)', 'file:///etc'])('%s is refused', async (baseUrl) => {
    expect(hasCode(await failureOf(() => withBase(baseUrl, { allowInsecureHttp: true })), 'configuration')).toBe(true);
  });

  test.each([
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://127.1.2.3',
    'http://[::1]:4010',
    'http://mock.localhost',
  ])('http is allowed for the loopback host of %s', (baseUrl) => {
    expect(() => withBase(baseUrl)).not.toThrow();
  });

  test.each(['http://localhost.example.com', 'http://127.0.0.1.example.com', 'http://notlocalhost'])(
    '%s is not a loopback host',
    async (baseUrl) => {
      expect(hasCode(await failureOf(() => withBase(baseUrl)), 'configuration')).toBe(true);
    },
  );

  test('allowInsecureHttp allows http for staging, and never for production', async () => {
    expect(() => withBase('http://gateway:8080', { allowInsecureHttp: true })).not.toThrow();
    const error = await refusal({
      allowInsecureHttp: true,
      gateways: { production: { baseUrl: 'http://gateway:8080', apiKey: 'key' } },
    });
    expect(error.message).toContain('gateways.production.baseUrl');
  });

  test.each([
    'https://user:secret@gateway.example.com',
    'https://user@gateway.example.com',
    'https://gateway.example.com/?key=secret',
    'https://gateway.example.com/?',
    'https://gateway.example.com/#secret',
    'https://gateway.example.com/#',
  ])('%s, with credentials, a query or a fragment, is refused and not repeated', async (baseUrl) => {
    const { message } = await failureOf(() => withBase(baseUrl));
    expect(message).toContain('give only the address');
    expect(message).not.toContain('secret');
  });

  const written = '/integration-gateway/external/report-settled-bet-event';

  test.each([
    ['https://gateway.example.com', ''],
    ['https://gateway.example.com/', ''],
    ['https://gateway.example.com/integration-gateway', ''],
    ['https://gateway.example.com/integration-gateway/', ''],
    ['https://gateway.example.com/integration-gateway/external', ''],
    ['https://gateway.example.com/integration-gateway/external/', ''],
    ['https://gateway.example.com/proxy/v1', '/proxy/v1'],
    ['https://gateway.example.com/proxy/integration-gateway/external', '/proxy'],
    ['https://gateway.example.com/my-integration-gateway/external', '/my-integration-gateway/external'],
  ])('under %s the gateway path appears once and a path before it is kept', async (baseUrl, kept) => {
    expect(await addressUnder(baseUrl)).toBe(`https://gateway.example.com${kept}${written}`);
  });

  test('a host with the name of the path is kept', async () => {
    expect(await addressUnder('https://integration-gateway')).toBe(`https://integration-gateway${written}`);
  });

  test('a port is kept', async () => {
    expect(await addressUnder('https://gateway.example.com:8443')).toBe(`https://gateway.example.com:8443${written}`);
  });
});

describe('an environment that is used and not set up', () => {
  test('is an error that names every missing setting, with its variables', async () => {
    const error = await failureOf(createClient().reportBetEvent(betEvent(), { location }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      operation: 'reportBetEvent',
      reference: 'BET-1',
      environment: 'staging',
      outcome: 'not-sent',
      attempts: 0,
    });
    expect(error.message).toContain('gateways.staging.baseUrl (or LOCATION_SDK_STAGING_BASE_URL)');
    expect(error.message).toContain('gateways.staging.apiKey (or LOCATION_SDK_STAGING_API_KEY)');
  });

  test('names only the missing settings', async () => {
    const client = createClient({ gateways: { production: { baseUrl: 'https://gateway.example.com' } } });
    const { message } = await failureOf(client.reportSettledBet(settledBet(), { environment: 'production' }));
    expect(message).toContain('missing: gateways.production.apiKey (or LOCATION_SDK_PRODUCTION_API_KEY).');
  });

  test('is reported before a location is looked up', async () => {
    const { fetch, requests } = recordingFetch();
    await failureOf(createClient({ fetch }).reportBetEvent(betEvent(), { clientIP: '102.89.23.1' }));
    expect(requests).toEqual([]);
  });
});

describe('a page or server with an extra property on the prototype of all objects', () => {
  const polluted = async <T>(names: Record<string, unknown>, work: () => Promise<T>): Promise<T> => {
    for (const [name, value] of Object.entries(names))
      Object.defineProperty(Object.prototype, name, { value, enumerable: true, configurable: true, writable: true });
    try {
      return await work();
    } finally {
      for (const name of Object.keys(names)) Reflect.deleteProperty(Object.prototype, name);
    }
  };
  // The build patches the loops of zod that run when a class of it is first used (build/own-keys.js).
  beforeAll(async () => {
    const { fetch } = recordingFetch();
    await createClient({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } },
      validation: 'partial',
      location: { fixed: location },
      fetch,
    }).reportBetEvent(betEvent());
  });

  const evil = { latitude: 9, longitude: 9, city: 'Evil', accuracy: 9, source: 'evil', stranger: 'x' };

  test('reports the fixed location unchanged', async () => {
    const { fetch, requests } = recordingFetch();
    await polluted(evil, () =>
      withBase('https://gateway.example.com', { fetch, location: { fixed: location } }).reportBetEvent(betEvent()),
    );
    expect(requests[0]?.body?.location).toEqual({ ...location, source: 'provided' });
  });

  test('does not complete a fixed location with a missing member', async () => {
    const fixed = {} as typeof location;
    const error = await polluted(evil, () => refusal({ location: { fixed } }));
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('location.fixed.latitude'),
    });
  });

  const elsewhere = 'https://elsewhere.example.com';
  const names: [name: string, value: unknown][] = [
    ['baseUrl', elsewhere],
    ['LOCATION_SDK_MOCK', elsewhere],
    ['LOCATION_SDK_STAGING_BASE_URL', elsewhere],
    ['LOCATION_SDK_STAGING_API_KEY', 'stolen'],
    ['relayUrl', elsewhere],
    ['problem', 'is wrong'],
    ['environment', 'production'],
    ['clientIP', '8.8.8.8'],
    ['location', evil],
    ['fixed', evil],
    ['apiKey', 'stolen'],
    ['timeoutMs', 'soon'],
  ];

  test.each(names)('sends a report to the same address as without %s there', async (name, value) => {
    const { fetch, requests } = recordingFetch();
    const receipt = await polluted({ [name]: value }, async () => {
      const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } };
      const client = createClient({ gateways, fetch, validation: 'partial' });
      return [await client.reportBetEvent({ ...betEvent(), location }), await client.reportSettledBet(settledBet())];
    });
    expect(receipt.map(({ environment, location: sent }) => [environment, sent])).toEqual([
      ['staging', { ...location, source: 'provided' }],
      ['staging', undefined],
    ]);
    expect(requests.map(({ url }) => new URL(url).origin)).toEqual([
      'https://gateway.example.com',
      'https://gateway.example.com',
    ]);
    expect(requests[0]?.body?.location).toEqual({ ...location, source: 'provided' });
  });

  test.each(names)('with %s there a gateway that is not set up stays so', async (name, value) => {
    const { fetch, requests } = recordingFetch();
    const error = await polluted({ [name]: value }, () =>
      failureOf(createClient({ fetch }).reportSettledBet(settledBet())),
    );
    expect([error.message, requests]).toEqual([expect.stringContaining('missing: gateways.staging.baseUrl'), []]);
  });

  test.each(names)('with %s there a report without a location gets none', async (name, value) => {
    const { fetch, requests } = recordingFetch();
    const options = { fetch, location: { ip: { enabled: false } } };
    const error = await polluted({ [name]: value }, () =>
      failureOf(withBase('https://gateway.example.com', options).reportBetEvent(betEvent())),
    );
    expect([error, requests]).toMatchObject([{ code: 'location' }, []]);
  });

  test.each(names)('with %s there locate finds the same as without it', async (name, value) => {
    const { fetch } = recordingFetch();
    const client = withBase('https://gateway.example.com', { fetch, location: { fixed: location } });
    expect(await polluted({ [name]: value }, () => client.locate())).toMatchObject({ ...location, source: 'provided' });
  });
});
