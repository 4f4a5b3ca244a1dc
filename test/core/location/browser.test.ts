// @vitest-environment happy-dom

import { afterEach, describe, expect, test, vi } from 'vitest';
import type { GeolocationLike } from '../../../src/core/location/page/page.js';
import {
  AbortedError,
  type ClientEvent,
  type ClientOptions,
  createClient,
  type IpProvider,
  LocationError,
  TimeoutError,
} from '../../../src/entries/index.js';
import { betEvent, betUser, withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { FakeClock } from '../../support/fake-clock.js';
import { recordingFetch } from '../../support/recording-fetch.js';
import { placeOf } from './place-of.js';

type Success = Parameters<GeolocationLike['getCurrentPosition']>[0];
type Failure = Parameters<GeolocationLike['getCurrentPosition']>[1];

const gps = { latitude: 6.4474, longitude: 3.3903, accuracy: 12 };
const place = { latitude: 9.07, longitude: 7.49 };

const geolocationThat = (answer: (success: Success, failure: Failure) => void) => ({
  getCurrentPosition: vi.fn((success: Success, failure: Failure, _options: object) => answer(success, failure)),
});
const at = (coords: object) =>
  geolocationThat((success) => setImmediate(() => success({ coords: coords as typeof gps })));
const failing = (code: number) => geolocationThat((_success, failure) => queueMicrotask(() => failure({ code })));

function page(geolocation: GeolocationLike, { location, ...more }: ClientOptions = {}) {
  const clock = new FakeClock();
  const { fetch, requests } = recordingFetch();
  const lookup = vi.fn<IpProvider['lookup']>(async () => place);
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'public-key' } },
    allowApiKeyInBrowser: true,
    logger: {},
    clock,
    fetch,
    geolocation,
    location: { ip: { providers: [{ name: 'service', lookup }] }, ...location },
    ...more,
  });
  return { client, clock, requests, lookup };
}

const withoutLookup = (geolocation: GeolocationLike, more: ClientOptions['location'] = {}) =>
  page(geolocation, { location: { ip: { enabled: false }, ...more } });

afterEach(() => vi.unstubAllGlobals());

describe('a position that is granted', () => {
  test('is sent with source gps, and no service is asked', async () => {
    const { client, clock, requests, lookup } = page(at(gps));
    const receipt = await clock.run(client.reportBetEvent(betEvent()));
    expect(requests[0]?.body?.location).toEqual({ ...gps, source: 'gps' });
    expect(receipt.location).toEqual({ ...gps, source: 'gps' });
    expect(lookup).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });

  test('may be 0, 0: for a GPS at sea this is a position', async () => {
    const { client, clock } = page(at({ latitude: 0, longitude: 0, accuracy: 0 }));
    expect(await placeOf(clock.run(client.locate()))).toEqual({
      latitude: 0,
      longitude: 0,
      accuracy: 0,
      source: 'gps',
    });
  });

  test('leaves an invalid accuracy out, and all members that browsers add', async () => {
    const { client, clock } = page(at({ ...gps, accuracy: Number.NaN, altitude: 5, heading: null }));
    expect(await placeOf(clock.run(client.locate()))).toEqual({
      latitude: 6.4474,
      longitude: 3.3903,
      source: 'gps',
    });
  });

  test('may come synchronously', async () => {
    const { client } = page(geolocationThat((success) => success({ coords: gps })));
    expect(await client.locate()).toMatchObject({ source: 'gps' });
  });

  test('takes its source from sourceNames', async () => {
    const { client, clock } = page(at(gps), { location: { sourceNames: { gps: 'GPS', ip: 'IP' } } });
    expect(await clock.run(client.locate())).toMatchObject({ source: 'GPS' });
  });

  test('is asked for as the options say', async () => {
    const geolocation = at(gps);
    const { client, clock } = page(geolocation, {
      location: { browser: { highAccuracy: false, timeoutMs: 3_000, maximumAgeMs: 0 } },
    });
    await clock.run(client.locate());
    expect(geolocation.getCurrentPosition.mock.calls[0]?.[2]).toEqual({
      enableHighAccuracy: false,
      timeout: 3_000,
      maximumAge: 0,
    });
  });
});

describe("without a position the page's own address is looked up", () => {
  test.each<[string, ReturnType<typeof geolocationThat>]>([
    ['the player denies it', failing(1)],
    ['the device cannot tell', failing(2)],
    ['the device does not answer in time', failing(3)],
    ['the browser fails with an unknown code', failing(77)],
    [
      'the browser throws synchronously',
      geolocationThat(() => {
        throw new Error('denied by policy');
      }),
    ],
    [
      'the browser calls back with undefined as the error',
      geolocationThat((_success, failure) => setImmediate(() => failure(undefined as never))),
    ],
    [
      'the browser calls back with undefined as the position',
      geolocationThat((success) => setImmediate(() => success(undefined as never))),
    ],
    ['the position has no coordinates', geolocationThat((success) => setImmediate(() => success({} as never)))],
    ['the latitude is NaN', at({ ...gps, latitude: Number.NaN })],
    ['the latitude is out of range', at({ ...gps, latitude: 90.1 })],
    ['the longitude is out of range', at({ ...gps, longitude: -180.1 })],
    ['the coordinates are strings', at({ latitude: '6.4474', longitude: '3.3903' })],
    ['the browser never answers', geolocationThat(() => {})],
  ])('when %s', async (_when, geolocation) => {
    const { client, clock, requests, lookup } = page(geolocation);
    await clock.run(client.reportBetEvent(betEvent()));
    expect(requests[0]?.body?.location).toEqual({ ...place, source: 'ip' });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(lookup.mock.calls[0]?.[0].ip).toBeUndefined();
  });

  test('when the page is not secure, without asking the browser', async () => {
    vi.stubGlobal('isSecureContext', false);
    const geolocation = at(gps);
    const { client, clock } = page(geolocation);
    expect(await clock.run(client.locate())).toMatchObject({ source: 'ip' });
    expect(geolocation.getCurrentPosition).not.toHaveBeenCalled();
  });

  test('when browser geolocation is disabled', async () => {
    const geolocation = at(gps);
    const { client, clock } = page(geolocation, {
      location: { browser: { enabled: false }, ip: { providers: [{ name: 'service', lookup: async () => place }] } },
    });
    expect(await clock.run(client.locate())).toMatchObject({ source: 'ip' });
    expect(geolocation.getCurrentPosition).not.toHaveBeenCalled();
  });
});

describe('what is remembered', () => {
  test('is the position, by the client that asked: another client of the page asks again', async () => {
    const geolocation = at(gps);
    const first = page(geolocation);
    for (let call = 0; call < 2; call += 1) await first.clock.run(first.client.locate());
    expect(geolocation.getCurrentPosition).toHaveBeenCalledTimes(1);
    const second = page(geolocation);
    await second.clock.run(second.client.locate());
    expect(geolocation.getCurrentPosition).toHaveBeenCalledTimes(2);
  });

  test("is the page's own address for five minutes, also if the network has changed", async () => {
    const { client, clock, lookup } = page(failing(1));
    await clock.run(client.locate());
    lookup.mockResolvedValue({ latitude: 6.45, longitude: 3.39 });
    await clock.pass(290_000);
    expect(await clock.run(client.locate())).toMatchObject({ ...place, source: 'ip' });
    expect(lookup).toHaveBeenCalledTimes(1);
    await clock.pass(20_000);
    expect(await clock.run(client.locate())).toMatchObject({ latitude: 6.45, ageMs: 0 });
    expect(lookup).toHaveBeenCalledTimes(2);
  });
});

describe("the browser's step in the error", () => {
  test.each([
    [1, 'denied'],
    [2, 'position-unavailable'],
    [3, 'timeout'],
    [0, 'position-unavailable'],
  ])('code %i is %s', async (code, reason) => {
    const { client, clock } = withoutLookup(failing(code));
    const error = await clock.run(failureOf<LocationError>(client.reportBetEvent(betEvent())));
    expect(error).toBeInstanceOf(LocationError);
    expect(error.steps).toMatchObject([{ step: 'browser-geolocation', reason }]);
    expect(error.message).toContain('pass location');
  });

  test('names an insecure page', async () => {
    vi.stubGlobal('isSecureContext', false);
    const error = await failureOf<LocationError>(withoutLookup(at(gps)).client.locate());
    expect(error.steps).toMatchObject([{ reason: 'insecure-context' }]);
  });

  test('names a browser without geolocation', async () => {
    vi.stubGlobal('navigator', {});
    const client = createClient({ location: { ip: { enabled: false } } });
    expect((await failureOf<LocationError>(client.locate())).steps).toMatchObject([{ reason: 'not-available' }]);
  });

  test.for([{ ip: { enabled: false } }, { ip: { providers: [] } }])(
    'says that nothing is enabled, with %j and no browser',
    async (location) => {
      const { client, clock } = page(at(gps), { location: { browser: { enabled: false }, ...location } });
      const { steps, message } = await clock.run(failureOf<LocationError>(client.locate()));
      expect(steps).toMatchObject([{ step: 'ip-lookup', reason: 'not-available' }]);
      expect(message).toMatch(/pass location\.\n.*no location source is enabled/);
    },
  );

  test('comes before the steps of the services', async () => {
    const { client, clock } = page(failing(1), {
      location: { ip: { providers: [{ name: 'service', lookup: async () => undefined }] } },
    });
    const { steps } = await clock.run(failureOf<LocationError>(client.locate()));
    expect(steps.map(({ step }) => step)).toEqual(['browser-geolocation', 'service']);
  });
});

describe('limits', () => {
  const silent = () => geolocationThat(() => {});

  test('if the player does not decide within 10 seconds, the address is looked up', async () => {
    const { client, clock } = page(silent());
    const began = clock.now();
    expect(await clock.run(client.locate())).toMatchObject({ source: 'ip' });
    expect(clock.now() - began).toBe(10_000);
  });

  test.for([{ ip: { enabled: false } }, { ip: { providers: [] } }])(
    'without a service the device has all of the time: %j',
    async (location) => {
      const { client, clock } = page(silent(), { location });
      const began = clock.now();
      await clock.run(failureOf(client.locate({ timeoutMs: 6_000 })));
      expect(clock.now() - began).toBe(6_000);
    },
  );

  test('the limit of the browser is an option, and the limit of the chain bounds it', async () => {
    for (const location of [{ browser: { timeoutMs: 700 } }, { timeoutMs: 700 }]) {
      const { client, clock } = withoutLookup(silent(), location);
      const { steps } = await clock.run(failureOf<LocationError>(client.locate()));
      expect(steps).toMatchObject([{ reason: 'timeout', durationMs: 700 }]);
    }
  });

  test('a decision that comes too late changes nothing', async () => {
    let decide = () => {};
    const { client, clock, requests } = page(geolocationThat((success) => (decide = () => success({ coords: gps }))));
    const receipt = await clock.run(client.reportBetEvent(betEvent()));
    decide();
    await clock.pass(1_000);
    expect(receipt.location).toMatchObject({ source: 'ip' });
    expect(requests).toHaveLength(1);
  });

  test('an abort while the player decides ends the call: nothing is sent and no other source is tried', async () => {
    const controller = new AbortController();
    const { client, clock, requests, lookup } = page(geolocationThat(() => setImmediate(() => controller.abort())));
    const error = await clock.run(failureOf(client.reportBetEvent(betEvent(), { signal: controller.signal })));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ outcome: 'not-sent', attempts: 0 });
    expect(lookup).not.toHaveBeenCalled();
    expect(requests).toEqual([]);
  });

  test('the deadline of the call while the player decides is a timeout, with nothing sent', async () => {
    const { client, clock, requests } = withoutLookup(silent());
    const error = await clock.run(failureOf(client.reportBetEvent(betEvent(), { timeoutMs: 2_000 })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: 'not-sent', attempts: 0 });
    expect(requests).toEqual([]);
  });

  test('a short call leaves a third of its time for the lookup while the player decides', async () => {
    const { client, clock, requests } = page(silent());
    const { steps } = await clock.run(client.locate({ timeoutMs: 3_000 }));
    expect(steps).toEqual([
      expect.objectContaining({ reason: 'timeout', durationMs: 2_000 }),
      expect.objectContaining({ step: 'service' }),
    ]);
    await clock.run(client.reportBetEvent(betEvent(), { timeoutMs: 3_000 }));
    expect(requests[0]?.body?.location).toMatchObject({ source: 'ip' });
  });

  test('a signal that throws is reported as the cause, and leaves no timer', async () => {
    const { client, clock } = page(at(gps));
    const signal = {
      get aborted(): boolean {
        throw new Error('CANARY');
      },
      addEventListener() {},
      removeEventListener() {},
    };
    const error = await clock.run(failureOf(client.locate({ signal })));
    expect(error).toMatchObject({ code: 'configuration', message: expect.not.stringContaining('CANARY') });
    expect(clock.pending).toBe(0);
  });
});

describe('the player is not asked', () => {
  test('for a payload that does not validate', async () => {
    const geolocation = at(gps);
    const { client } = page(geolocation);
    await failureOf(client.reportBetEvent(betEvent({ user: betUser({ nin: '1' }) })));
    expect(geolocation.getCurrentPosition).not.toHaveBeenCalled();
  });

  test('for a gateway that is not set up', async () => {
    const geolocation = at(gps);
    const { client } = page(geolocation);
    await failureOf(client.reportBetEvent(betEvent(), { environment: 'production' }));
    expect(geolocation.getCurrentPosition).not.toHaveBeenCalled();
  });

  test('if the caller passes a location', async () => {
    const geolocation = at(gps);
    const { client, clock, requests } = page(geolocation);
    await clock.run(client.reportWithdrawalEvent(withdrawalEvent(), { location: { ...place, source: 'kiosk' } }));
    expect(requests[0]?.body?.location).toEqual({ ...place, source: 'kiosk' });
    expect(geolocation.getCurrentPosition).not.toHaveBeenCalled();
  });
});

test('required: false sends the event without a location if none is found', async () => {
  const { client, clock, requests } = withoutLookup(failing(1), { required: false });
  await clock.run(client.reportBetEvent(betEvent()));
  expect(requests[0]?.body).not.toHaveProperty('location');
});

/** Of the events, the steps of the chain. */
const stepsOf = (events: readonly ClientEvent[]) => events.filter((event) => event.type === 'location-step');

describe('onEvent', () => {
  test('receives every step of every call, without a coordinate', async () => {
    const events: ClientEvent[] = [];
    const { client, clock } = page(failing(2), { onEvent: (event) => events.push(event) });
    await clock.run(client.reportBetEvent(betEvent()));
    const common = { type: 'location-step', operation: 'reportBetEvent', environment: 'staging', durationMs: 0 };
    expect(stepsOf(events)).toEqual([
      { ...common, step: 'browser-geolocation', reason: 'position-unavailable' },
      { ...common, step: 'service', reason: undefined },
    ]);
  });

  test('receives a chain that found nothing', async () => {
    const events: ClientEvent[] = [];
    const { client, clock, lookup } = page(failing(2), { onEvent: (event) => events.push(event) });
    lookup.mockRejectedValue(new Error('down'));
    const { steps } = await failureOf<LocationError>(clock.run(client.locate()));
    expect(stepsOf(events).map(({ step, reason }) => ({ step, reason }))).toEqual(
      steps.map(({ step, reason }) => ({ step, reason })),
    );
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
  ])('loses no report when it %s', async (_, onEvent) => {
    const { client, clock, requests } = page(at(gps), { onEvent });
    await clock.run(client.reportBetEvent(betEvent()));
    expect(requests).toHaveLength(1);
  });
});

test('the result of locate may be passed unchanged as the location of a report, also as JSON', async () => {
  const { client, clock, requests } = page(at(gps));
  const located = await clock.run(client.locate());
  await clock.run(client.reportBetEvent(betEvent(), { location: located }));
  await clock.run(client.reportBetEvent({ ...betEvent(), location: JSON.parse(JSON.stringify(located)) }));
  const sent = { ...gps, source: 'gps' };
  expect(requests.map(({ body }) => body?.location)).toEqual([sent, sent]);
});
