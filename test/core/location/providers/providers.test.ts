import { describe, expect, test } from 'vitest';
import {
  createClient,
  type Fetch,
  freeipapi,
  geojs,
  type IpProvider,
  ipapiCo,
  ipinfo,
  type LocationError,
  LookupFailure,
} from '../../../../src/entries/index.js';
import { failureOf } from '../../../support/failure-of.js';
import { json } from '../../../support/recording-fetch.js';
import { placeOf } from '../place-of.js';
import { recordedBody, replay, type Service } from './recorded-answers.js';

const GEOJS = recordedBody('geojs', 'known');
const IPAPI = recordedBody('ipapi-co', 'known');
const FREEIPAPI = recordedBody('freeipapi', 'known');
const IPINFO = recordedBody('ipinfo', 'known');

const LAGOS = {
  latitude: 6.4474,
  longitude: 3.3903,
  city: 'Lagos',
  region: 'Lagos',
  country: 'NG',
  source: 'client_ip',
};

/** An answer, as if it had been recorded for the address in a URL. */
const about = (url: string, response: Awaited<ReturnType<Fetch>>): Awaited<ReturnType<Fetch>> => ({
  status: response.status,
  headers: response.headers,
  text: async () => (await response.text()).replaceAll(RECORDED, addressIn(url)),
});
const RECORDED = '203.0.113.45';
const addressIn = (url: string) =>
  decodeURIComponent(
    /[0-9]+\.[0-9.]+[0-9]|[0-9a-f]+(?:%3A|:)(?:[0-9a-f:]|%3A)+$|[0-9a-f]+%3A[0-9a-f%A]*/i.exec(url)?.[0] ?? RECORDED,
  );

/** A client with one service, which answers as given. */
function asking(provider: IpProvider, answer: () => ReturnType<Fetch> | Awaited<ReturnType<Fetch>>) {
  const asked: { url: string; headers: Record<string, string> }[] = [];
  const client = createClient({
    location: { ip: { providers: [provider] } },
    fetch: async (url, { headers }) => {
      asked.push({ url, headers });
      return about(url, await answer());
    },
  });
  const locate = (clientIP = '102.89.23.45') => client.locate({ clientIP });
  const failedStep = async () => (await failureOf<LocationError>(locate())).steps[0];
  return { locate, failedStep, asked };
}

const answering = (provider: IpProvider, body: unknown, status = 200) => asking(provider, () => json(body, status));

const replaying = (provider: IpProvider, service: Service, situation: string) =>
  asking(provider, () => replay(service, situation));

describe('answers that the services were seen to give', () => {
  const services: Record<Service, IpProvider> = {
    geojs: geojs(),
    'ipapi-co': ipapiCo(),
    freeipapi: freeipapi(),
    ipinfo: ipinfo({ token: 'tok' }),
  };

  test.each<[Service, string]>([
    ['geojs', 'known'],
    ['ipapi-co', 'known'],
    ['freeipapi', 'known'],
    ['ipinfo', 'known'],
  ])('%s, %s: a location', async (service, situation) => {
    expect(await replaying(services[service], service, situation).locate()).toMatchObject(LAGOS);
  });

  test.each<[Service, string, string]>([
    ['geojs', 'unknown', 'bad-answer'],
    ['geojs', 'refused', 'refused'],
    ['ipapi-co', 'unknown', 'bad-answer'],
    ['ipapi-co', 'notPublic', 'bad-answer'],
    ['ipapi-co', 'refused', 'refused'],
    ['ipapi-co', 'refusedWith200', 'refused'],
    ['freeipapi', 'unknown', 'bad-answer'],
    ['freeipapi', 'refused', 'refused'],
    ['ipinfo', 'unknown', 'bad-answer'],
    ['ipinfo', 'lite', 'bad-answer'],
    ['ipinfo', 'notPublic', 'not-public'],
    ['ipinfo', 'refused', 'refused'],
    ['ipinfo', 'wrongToken', 'refused'],
  ])('%s, %s: no location, since %s', async (service, situation, reason) => {
    const step = await replaying(services[service], service, situation).failedStep();
    expect(step).toMatchObject({ step: services[service].name, reason });
    expect(JSON.stringify(step)).not.toMatch(/203\.0\.113|Reserved|Visit|Throttler/);
  });

  test.each<[Service]>([['geojs'], ['ipapi-co'], ['freeipapi'], ['ipinfo']])(
    '%s, about another address: no location',
    async (service) => {
      const another = { ...(recordedBody(service, 'known') as object), ip: '198.51.100.7', ipAddress: '198.51.100.7' };
      expect(await answering(services[service], another).failedStep()).toMatchObject({
        reason: 'bad-answer',
        message: 'the service answered for another address',
      });
    },
  );

  test('a place without a city is a location', async () => {
    expect(await placeOf(replaying(geojs(), 'geojs', 'countryOnly').locate())).toEqual({
      latitude: 9.1123,
      longitude: 8.1078,
      country: 'NG',
      accuracy: 1_000_000,
      source: 'client_ip',
    });
  });
});

describe.each<[string, IpProvider, object, string]>([
  ['GeoJS', geojs(), GEOJS, 'https://get.geojs.io/v1/ip/geo/102.89.23.45.json'],
  ['ipapi.co', ipapiCo(), IPAPI, 'https://ipapi.co/102.89.23.45/json/'],
  ['freeipapi', freeipapi(), FREEIPAPI, 'https://free.freeipapi.com/api/json/102.89.23.45'],
  ['ipinfo', ipinfo({ token: 'tok' }), IPINFO, 'https://api.ipinfo.io/lookup/102.89.23.45'],
])('%s', (_name, provider, answer, address) => {
  test('is asked about the address over https, and its answer is read', async () => {
    const { locate, asked } = answering(provider, answer);
    expect(await locate()).toMatchObject(LAGOS);
    expect(asked.map(({ url }) => url)).toEqual([address]);
  });

  test('an IPv6 address is escaped in the path', async () => {
    const { locate, asked } = answering(provider, answer);
    await locate('2c0f:f248::1');
    // IPinfo's own examples leave the colons unescaped; a path may contain them.
    expect(asked[0]?.url).toContain(address.includes('api.ipinfo.io') ? '/2c0f:f248::1' : '/2c0f%3Af248%3A%3A1');
  });

  test('never gets the API key of the gateway', async () => {
    const { locate, asked } = answering(provider, answer);
    await locate();
    expect(Object.keys(asked[0]?.headers ?? {})).not.toContain('x-api-key');
  });

  test.each([429, 403])('HTTP %i means that it refuses for a while', async (status) => {
    expect(await answering(provider, { error: true, reason: 'RateLimited' }, status).failedStep()).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining(`HTTP ${status}`),
    });
  });

  test.each([
    ['an error of the service', { message: 'oops' }, 500],
    ['a page', '<html>blocked</html>', 200],
    ['nothing', '', 200],
    ['an empty object', {}, 200],
    ['null', 'null', 200],
    ['a list', '[]', 200],
    ['a redirect', '', 302],
    ['a right answer with the wrong status', answer, 404],
    ['an endless answer', ' '.repeat(70_000) + JSON.stringify(answer), 200],
  ])('%s is not a location', async (_what, body, status) => {
    expect(await answering(provider, body, status).failedStep()).toMatchObject({
      step: provider.name,
      reason: 'bad-answer',
    });
  });

  test('a connection that fails is unreachable, and its error is not shown', async () => {
    const { failedStep } = asking(provider, () => Promise.reject(new Error('getaddrinfo 102.89.23.45')));
    const step = await failedStep();
    expect(step).toMatchObject({ reason: 'unreachable' });
    expect(step?.message).not.toContain('102.89');
  });
});

describe('GeoJS', () => {
  test('gives its accuracy in kilometres', async () => {
    expect(await placeOf(answering(geojs(), GEOJS).locate())).toEqual({ ...LAGOS, accuracy: 20_000 });
    expect(await answering(geojs(), { ...GEOJS, accuracy: '5' }).locate()).toMatchObject({ accuracy: 5_000 });
  });

  test.each([[0], ['nil'], [null], [undefined], [-1]])('an accuracy of %j is left out', async (accuracy) => {
    expect(await answering(geojs(), { ...GEOJS, accuracy }).locate()).not.toHaveProperty('accuracy');
  });

  test('writes "nil" for an unknown value', async () => {
    expect(await placeOf(answering(geojs(), { ...GEOJS, city: 'nil', region: 'nil' }).locate())).toEqual({
      latitude: 6.4474,
      longitude: 3.3903,
      country: 'NG',
      accuracy: 20_000,
      source: 'client_ip',
    });
  });

  test.each(['', ' ', '6,4474', '6.4474N', '0x6', '1e1', 'Infinity', null, true, []])(
    '%j is not a latitude',
    async (latitude) => {
      expect(await answering(geojs(), { ...GEOJS, latitude }).failedStep()).toMatchObject({ reason: 'bad-answer' });
    },
  );

  test('negative coordinates are read', async () => {
    expect(await answering(geojs(), { ...GEOJS, latitude: '-1.5', longitude: '-73' }).locate()).toMatchObject({
      latitude: -1.5,
      longitude: -73,
    });
  });
});

describe('ipapi.co', () => {
  test('writes null for an unknown value', async () => {
    expect(await answering(ipapiCo(), { ...IPAPI, latitude: null, longitude: null }).failedStep()).toMatchObject({
      reason: 'bad-answer',
    });
    expect(await answering(ipapiCo(), { ...IPAPI, city: null }).locate()).not.toHaveProperty('city');
  });
});

describe('freeipapi', () => {
  test('writes "-" for an unknown place', async () => {
    expect(await answering(freeipapi(), { ...FREEIPAPI, cityName: '-' }).locate()).not.toHaveProperty('city');
  });
});

describe('ipinfo', () => {
  test('gets its token in a header, never in the URL', async () => {
    const { locate, asked } = answering(ipinfo({ token: 'secret-token' }), IPINFO);
    await locate();
    expect(asked[0]?.headers.authorization).toBe('Bearer secret-token');
    expect(asked[0]?.url).not.toContain('secret-token');
  });

  test.each([undefined, null, 'Lagos', {}, { latitude: 6.4474 }, { latitude: 'nil', longitude: 3.3903 }, [6.4474]])(
    '%j is not a place',
    async (geo) => {
      expect(await answering(ipinfo({ token: 't' }), { ...IPINFO, geo }).failedStep()).toMatchObject({
        reason: 'bad-answer',
      });
    },
  );

  test('names the plans with coordinates, if the answer is that of the free plan', async () => {
    const message = 'the service gave no coordinates; the token needs the plan Core or Plus';
    expect(await replaying(ipinfo({ token: 't' }), 'ipinfo', 'lite').failedStep()).toMatchObject({
      reason: 'bad-answer',
      message,
    });
  });
});

test('by default GeoJS, ipapi.co and freeipapi are asked, in this order', async () => {
  const asked: string[] = [];
  const client = createClient({
    fetch: async (url) => {
      asked.push(new URL(url).hostname);
      return json('', 500);
    },
  });
  const error = await failureOf<LocationError>(client.locate({ clientIP: '102.89.23.45' }));
  expect(asked).toEqual(['get.geojs.io', 'ipapi.co', 'free.freeipapi.com']);
  expect(error.steps.map(({ step }) => step)).toEqual(['geojs', 'ipapi.co', 'freeipapi']);
});

test.each([[undefined], [{}], [{ token: '' }], [{ token: 'tok\n' }], [{ token: 7 }]])(
  'ipinfo(%j) says what is wrong with its token, without showing it',
  async (options) => {
    const error = await failureOf(() => ipinfo(options as never));
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining('token ') });
    expect(error.message).not.toContain('tok\n');
  },
);

test("a user's own provider says with a LookupFailure why it failed, and is then paused", async () => {
  let calls = 0;
  const ours: IpProvider = {
    name: 'ours',
    async lookup() {
      calls += 1;
      throw new LookupFailure('refused', 'the quota of the day is used up', '30');
    },
  };
  const never: IpProvider = { name: 'never', lookup: async () => ({ latitude: 1, longitude: 2 }) };
  const client = createClient({ location: { ip: { providers: [ours, never], cacheMs: 0 } } });
  const steps = async () =>
    (await client.locate({ clientIP: '102.89.23.45' })).steps.map(
      ({ step, reason }) => `${step}: ${reason ?? 'found'}`,
    );
  expect(await steps()).toEqual(['ours: refused', 'never: found']);
  expect(await steps()).toEqual(['ours: resting', 'never: found']);
  expect(calls).toBe(1);
});
