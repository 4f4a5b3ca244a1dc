import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Transport } from '../../../../src/core/delivery/transport.js';
import {
  AbortedError,
  type ClientOptions,
  createClient,
  type Fetch,
  geojs,
  type IpLocation,
  type IpProvider,
  type LocationError,
  TimeoutError,
  ValidationError,
} from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { betEvent } from '../../../support/factories.js';
import { failureOf } from '../../../support/failure-of.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { json } from '../../../support/recording-fetch.js';
import { placeOf } from '../place-of.js';

const clientIP = '102.89.23.45';
const place: IpLocation = { latitude: 9.07, longitude: 7.49 };

const provider = (name: string, lookup: IpProvider['lookup']): IpProvider => ({ name, lookup });
const knowing = provider('knowing', async () => place);
const hanging = provider('hanging', () => new Promise(() => {}));
const never = { name: 'never', lookup: vi.fn(async () => place) };

afterEach(() => expect(never.lookup).not.toHaveBeenCalled());

function server(
  providers: IpProvider[],
  { ip, timeoutMs, ...more }: ClientOptions & { ip?: object; timeoutMs?: number } = {},
  chainMs?: number,
) {
  const gateway = createMockGateway();
  const clock = new FakeClock();
  const location = { ip: { providers, ...ip }, timeoutMs: chainMs };
  return { client: createClient({ ...gateway.clientOptions(), clock, ...more, location, timeoutMs }), clock, gateway };
}

const stepsOf = async (providers: IpProvider[]) => {
  const { client } = server(providers);
  return (await failureOf<LocationError>(client.locate({ clientIP }))).steps.map(
    ({ step, reason }) => `${step}: ${reason}`,
  );
};

test('names that are none are left out, and long ones are cut', async () => {
  const answer = { ...place, city: `${'x'.repeat(199)}😀`, region: 'N/A', country: 'N\u0000G\u200b' };
  const { client } = server([provider('own', async () => answer)]);
  expect(await placeOf(client.locate({ clientIP }))).toEqual({
    ...place,
    city: 'x'.repeat(199),
    country: 'NG',
    source: 'client_ip',
  });
});

test('the first service with an answer is the last one asked', async () => {
  expect(await server([knowing, never]).client.locate({ clientIP })).toMatchObject(place);
});

test.each<[string, IpProvider['lookup']]>([
  ['rejects', () => Promise.reject(new Error('down'))],
  [
    'throws synchronously',
    () => {
      throw new Error('down');
    },
  ],
  ['throws a value that is not an error', () => Promise.reject(undefined)],
  ['does not know', async () => undefined],
  ['answers null', async () => null as never],
  ['answers without coordinates', async () => ({ city: 'Lagos' }) as never],
  ['answers with a string as a coordinate', async () => ({ latitude: '9.07', longitude: 7.49 }) as never],
  ['answers NaN', async () => ({ latitude: Number.NaN, longitude: 7.49 })],
  ['answers coordinates out of range', async () => ({ latitude: 9.07, longitude: 181 })],
  ['answers 0, 0, which services write for an unknown place', async () => ({ latitude: 0, longitude: 0 })],
  [
    'answers an object that cannot be read',
    async () => Object.defineProperty({}, 'latitude', { get: () => expect.unreachable() }) as never,
  ],
])('when a service %s the next one is asked', async (_what, lookup) => {
  expect(await server([provider('first', lookup), knowing]).client.locate({ clientIP })).toMatchObject(place);
  expect(await stepsOf([provider('first', lookup)])).toEqual(['first: bad-answer']);
});

test.each([
  { latitude: 0, longitude: 7.49 },
  { latitude: 9.07, longitude: 0 },
])('a zero alone is a coordinate: %j', async (answer) => {
  expect(await server([provider('ours', async () => answer), never]).client.locate({ clientIP })).toMatchObject(answer);
});

test('the error lists every service with the reason and how long it took', async () => {
  const slow = (clock: FakeClock) =>
    provider('slow', () => new Promise((_resolve, reject) => clock.setTimeout(() => reject(new Error('down')), 700)));
  const clock = new FakeClock();
  const { client } = server([slow(clock), provider('unknowing', async () => undefined)], { clock });
  const error = await clock.run(failureOf<LocationError>(client.reportBetEvent(betEvent(), { clientIP })));
  expect(error.steps).toMatchObject([
    { step: 'slow', reason: 'bad-answer', durationMs: 700 },
    { step: 'unknowing', reason: 'bad-answer', durationMs: 0 },
  ]);
  expect(error.message).toContain('- slow: ');
  expect(error.message).toContain('- unknowing: ');
});

test("the error of a user's service is never shown", async () => {
  const leaking = provider('ours', () =>
    Promise.reject(Object.assign(new Error(`token secret-token for ${clientIP}`), { headers: 'secret-token' })),
  );
  const error = await failureOf<LocationError>(server([leaking]).client.reportBetEvent(betEvent(), { clientIP }));
  expect(JSON.stringify(error) + error.stack).not.toMatch(/secret-token|102\.89/);
  expect(error.cause).toBeUndefined();
});

test('only known fields of an answer are sent, and empty strings are left out', async () => {
  const odd = {
    ...place,
    city: '-',
    region: ' nil ',
    country: 'NG',
    accuracy: Number.NaN,
    isp: 'Example',
    source: 'theirs',
  };
  expect(await placeOf(server([provider('ours', async () => odd)]).client.locate({ clientIP }))).toEqual({
    ...place,
    country: 'NG',
    source: 'client_ip',
  });
});

test('a service gets the fetch of the client', async () => {
  const gateway = createMockGateway();
  const asked: string[] = [];
  const fetch: Fetch = (url, init) => {
    asked.push(new URL(url).hostname);
    return gateway.fetch(url, init);
  };
  const asking = provider('ours', async ({ fetch: given, signal }) => {
    await given('https://geo.example.com/', { method: 'GET', headers: {}, signal });
    return place;
  });
  await createClient({ ...gateway.clientOptions(), fetch, location: { ip: { providers: [asking] } } }).reportBetEvent(
    betEvent(),
    { clientIP },
  );
  expect(asked).toEqual(['geo.example.com', 'mock-gateway.localhost']);
});

test('a client with a transport sends reports by it, and asks services by its fetch', async () => {
  const asked: string[] = [];
  const fetch: Fetch = async (url) => {
    asked.push(new URL(url).hostname);
    return json({ ip: clientIP, latitude: '6.5', longitude: '3.25' });
  };
  const sent: string[] = [];
  const transport: Transport = {
    send: async ({ url }) => {
      sent.push(new URL(url).hostname);
      return { ended: 'answered', status: 200, header: () => null, text: '{}', measured: true };
    },
  };
  const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } };
  const client = createClient({ gateways, fetch, transport, location: { ip: { providers: [geojs()] } } });
  expect(await client.reportBetEvent(betEvent(), { clientIP })).toMatchObject({
    outcome: 'recorded',
    location: { source: 'client_ip' },
  });
  expect([sent, asked]).toEqual([['gateway.example.com'], ['get.geojs.io']]);
});

describe('limits', () => {
  test('if a service does not answer in time, the next one is asked', async () => {
    const { client, clock } = server([hanging, knowing], { ip: { timeoutMs: 1_500 } });
    const began = clock.now();
    expect(await clock.run(client.locate({ clientIP }))).toMatchObject(place);
    expect(clock.now() - began).toBe(1_500);
    expect(clock.pending).toBe(0);
  });

  test('each service has 4 seconds and the chain 20 by default', async () => {
    const { client, clock } = server(Array(7).fill(hanging));
    const began = clock.now();
    const error = await clock.run(failureOf<LocationError>(client.locate({ clientIP })));
    expect(error.code).toBe('location');
    expect(error.steps.map(({ durationMs }) => durationMs)).toEqual([4_000, 4_000, 4_000, 4_000, 4_000, 0, 0]);
    expect(new Set(error.steps.map(({ reason }) => reason))).toEqual(new Set(['timeout']));
    expect(clock.now() - began).toBe(20_000);
  });

  test('the limit of the chain cuts the last service short', async () => {
    const { client, clock } = server([hanging, hanging, never], { ip: { timeoutMs: 1_000 } }, 1_600);
    const error = await clock.run(failureOf<LocationError>(client.locate({ clientIP })));
    expect(error.steps.map(({ durationMs }) => durationMs)).toEqual([1_000, 600, 0]);
  });

  test("a service's signal is aborted when its time is over, and its later answer changes nothing", async () => {
    let late: (location: IpLocation) => void = () => {};
    let told: AbortSignal | undefined;
    const slow = provider('slow', ({ signal }) => {
      told = signal;
      return new Promise((resolve) => {
        late = resolve;
      });
    });
    const { client, clock, gateway } = server([slow, knowing], { ip: { timeoutMs: 1_000 } });
    const receipt = await clock.run(client.reportBetEvent(betEvent(), { clientIP }));
    late({ latitude: 1, longitude: 1 });
    await clock.pass(10_000);
    expect(told?.aborted).toBe(true);
    expect(receipt.location).toMatchObject(place);
    expect(gateway.reports()).toHaveLength(1);
  });

  test('a service that fails after its time causes no error', async () => {
    let fail: (error: Error) => void = () => {};
    const slow = provider('slow', () => new Promise((_resolve, reject) => (fail = reject)));
    const { client, clock } = server([slow, knowing]);
    await clock.run(client.locate({ clientIP }));
    fail(new Error('too late'));
    await clock.pass(0);
  });
});

describe('the end of the call while a location is being found', () => {
  test('an abort ends it at once, with nothing sent', async () => {
    const controller = new AbortController();
    const lookup = vi.fn(() => {
      controller.abort(new Error('secret reason'));
      return new Promise<never>(() => {});
    });
    const { client, clock, gateway } = server([provider('aborted', lookup), never]);
    const error = await clock.run(
      failureOf(client.reportBetEvent(betEvent(), { clientIP, signal: controller.signal })),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ outcome: 'not-sent', attempts: 0, reference: 'BET-1', retryable: false });
    expect(error.message).not.toContain('secret');
    expect(gateway.reports()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('with a signal that is already aborted no source is asked', async () => {
    const { client } = server([never]);
    const error = await failureOf(client.reportBetEvent(betEvent(), { clientIP, signal: AbortSignal.abort() }));
    expect(error).toBeInstanceOf(AbortedError);
  });

  test('an abort is an abort even if no location is required', async () => {
    const gateway = createMockGateway({ location: { required: false } });
    const client = createClient({
      ...gateway.clientOptions(),
      location: { required: false, ip: { providers: [hanging] } },
    });
    expect(
      await failureOf(client.reportBetEvent(betEvent(), { clientIP, signal: AbortSignal.abort() })),
    ).toBeInstanceOf(AbortedError);
    expect(gateway.reports()).toEqual([]);
  });

  test('the deadline of the call ends it with a timeout, with nothing sent', async () => {
    const { client, clock, gateway } = server([hanging, hanging]);
    const began = clock.now();
    const error = await clock.run(failureOf(client.reportBetEvent(betEvent(), { clientIP, timeoutMs: 2_500 })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: 'not-sent', attempts: 0, retryable: true });
    expect(clock.now() - began).toBe(2_500);
    expect(gateway.reports()).toEqual([]);
  });

  test('a time limit of 0 is refused: it does not mean no limit', async () => {
    expect(
      await failureOf(server([never]).client.reportBetEvent(betEvent(), { clientIP, timeoutMs: 0 })),
    ).toBeInstanceOf(ValidationError);
  });
});
