// @vitest-environment happy-dom

import { describe, expect, test, vi } from 'vitest';
import { type ClientEvent, type ClientOptions, createClient, type LocationError } from '../../../src/entries/index.js';
import type { ReverseGeocode } from '../../../src/location/page/reverse-geocode.js';
import { betEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { recordingFetch } from '../../support/recording-fetch.js';
import { FakeClock } from '../fake-clock.js';
import { placeOf } from '../place-of.js';

const fix = { latitude: 6.4474, longitude: 3.3903, accuracy: 12 };
const never = () => new Promise<never>(() => {});
const LAGOS = { city: 'Lagos', region: 'Lagos State', country: 'NG' };

function page(reverseGeocode: ReverseGeocode, { location, ...more }: ClientOptions = {}) {
  const clock = new FakeClock();
  const { fetch, requests } = recordingFetch();
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'public-key' } },
    allowApiKeyInBrowser: true,
    logger: {},
    clock,
    fetch,
    geolocation: { getCurrentPosition: (success) => success({ coords: fix }) },
    location: { ip: { enabled: false }, reverseGeocode, ...location },
    ...more,
  });
  return { client, clock, requests };
}

describe('a place that reverseGeocode names', () => {
  test('is added to the position, and the function gets only the coordinates', async () => {
    const reverseGeocode = vi.fn<ReverseGeocode>(async () => LAGOS);
    const { client, clock, requests } = page(reverseGeocode);
    await clock.runUntilSettled(client.reportBetEvent(betEvent()));
    expect(requests[0]?.body?.location).toEqual({ ...fix, ...LAGOS, source: 'gps' });
    expect(reverseGeocode.mock.calls[0]?.[0]).toEqual({ latitude: fix.latitude, longitude: fix.longitude });
    expect(clock.waiting).toBe(0);
  });

  test('is requested once for each position', async () => {
    const reverseGeocode = vi.fn<ReverseGeocode>(async () => LAGOS);
    const { client, clock } = page(reverseGeocode);
    for (let call = 0; call < 3; call += 1) expect(await clock.runUntilSettled(client.locate())).toMatchObject(LAGOS);
    expect(reverseGeocode).toHaveBeenCalledTimes(1);
  });

  test('is requested once for any number of waiting reports', async () => {
    const reverseGeocode = vi.fn<ReverseGeocode>(async () => LAGOS);
    const { client, clock } = page(reverseGeocode);
    const all = await clock.runUntilSettled(Promise.all(Array.from({ length: 10 }, () => client.locate())));
    expect(all.map(({ city }) => city)).toEqual(Array(10).fill('Lagos'));
    expect(reverseGeocode).toHaveBeenCalledTimes(1);
  });

  test('that failed is not requested again for half a minute', async () => {
    const reverseGeocode = vi.fn<ReverseGeocode>(never);
    const { client, clock } = page(reverseGeocode);
    const started = clock.now();
    for (let call = 0; call < 5; call += 1) await clock.runUntilSettled(client.locate());
    expect([clock.now() - started, reverseGeocode.mock.calls.length]).toEqual([1_500, 1]);
    await clock.advance(30_000);
    await clock.runUntilSettled(client.locate());
    expect(reverseGeocode).toHaveBeenCalledTimes(2);
  });

  test('leaves out values that are not names, and other members', async () => {
    const long = { city: `${'x'.repeat(199)}😀`, region: 'N/A', country: 'N\u0000G\u200b' };
    const cut = page(async () => long);
    expect(await placeOf(cut.clock.runUntilSettled(cut.client.locate()))).toEqual({
      ...fix,
      city: 'x'.repeat(199),
      country: 'NG',
      source: 'gps',
    });
    const odd = { city: '-', region: 7, country: 'NG', latitude: 0, source: 'geocoder' } as never;
    const { client, clock } = page(async () => odd);
    expect(await placeOf(clock.runUntilSettled(client.locate()))).toEqual({ ...fix, country: 'NG', source: 'gps' });
  });

  test('is one more step', async () => {
    const { client, clock } = page(async () => LAGOS);
    expect((await clock.runUntilSettled(client.locate())).steps).toEqual([
      { step: 'browser-geolocation', durationMs: 0 },
      { step: 'reverse-geocode', durationMs: 0 },
    ]);
  });
});

describe('a reverseGeocode that fails blocks no report', () => {
  test.each<[string, ReverseGeocode, string]>([
    ['rejects', () => Promise.reject(new Error('canary')), 'bad-answer'],
    [
      'throws',
      () => {
        throw new Error('canary');
      },
      'bad-answer',
    ],
    ['never answers', never, 'timeout'],
  ])('when it %s', async (_, reverseGeocode, reason) => {
    const { client, clock, requests } = page(reverseGeocode);
    const { steps } = await clock.runUntilSettled(client.locate());
    expect(steps.at(-1)).toMatchObject({ step: 'reverse-geocode', reason });
    expect(JSON.stringify(steps)).not.toContain('canary');
    await clock.runUntilSettled(client.reportBetEvent(betEvent()));
    expect(requests[0]?.body?.location).toEqual({ ...fix, source: 'gps' });
    expect(clock.waiting).toBe(0);
  });

  test('and it takes at most its time limit, and no more than the chain has left', async () => {
    const slow = page(never, {
      location: { ip: { enabled: false }, reverseGeocode: never, reverseGeocodeTimeoutMs: 700 },
    });
    expect((await slow.clock.runUntilSettled(slow.client.locate())).steps.at(-1)).toMatchObject({ durationMs: 700 });
    const short = page(never, { location: { ip: { enabled: false }, reverseGeocode: never, timeoutMs: 300 } });
    expect((await short.clock.runUntilSettled(short.client.locate())).steps.at(-1)).toMatchObject({ durationMs: 300 });
  });

  test('and its signal is aborted', async () => {
    let signal: { aborted: boolean } | undefined;
    const { client, clock } = page((_, context) => {
      signal = context.signal;
      return never();
    });
    await clock.runUntilSettled(client.locate());
    expect(signal?.aborted).toBe(true);
  });
});

/** Of the events, the steps of the chain. */
const stepsOf = (events: readonly ClientEvent[]) => events.filter((event) => event.type === 'location-step');

describe('onEvent', () => {
  test('receives every step of every call, without a coordinate', async () => {
    const events: ClientEvent[] = [];
    const { client, clock } = page(() => Promise.reject(new Error('down')), { onEvent: (event) => events.push(event) });
    await clock.runUntilSettled(client.reportBetEvent(betEvent()));
    const common = { type: 'location-step', operation: 'reportBetEvent', environment: 'staging', durationMs: 0 };
    expect(stepsOf(events)).toEqual([
      { ...common, step: 'browser-geolocation', reason: undefined },
      { ...common, step: 'reverse-geocode', reason: 'bad-answer' },
    ]);
  });

  test('receives a chain that found nothing', async () => {
    const events: ClientEvent[] = [];
    const geolocation = {
      getCurrentPosition: (_: unknown, failure: (error: { code: number }) => void) => failure({ code: 2 }),
    };
    const { client, clock } = page(async () => LAGOS, { geolocation, onEvent: (event) => events.push(event) });
    const { steps } = await failureOf<LocationError>(clock.runUntilSettled(client.locate()));
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
    const { client, clock, requests } = page(async () => LAGOS, { onEvent });
    await clock.runUntilSettled(client.reportBetEvent(betEvent()));
    expect(requests).toHaveLength(1);
  });
});

describe('the result of locate', () => {
  test('may be passed unchanged as the location of a report, also as JSON', async () => {
    const { client, clock, requests } = page(async () => LAGOS);
    const located = await clock.runUntilSettled(client.locate());
    await clock.runUntilSettled(client.reportBetEvent(betEvent(), { location: located }));
    await clock.runUntilSettled(
      client.reportBetEvent({ ...betEvent(), location: JSON.parse(JSON.stringify(located)) }),
    );
    expect(requests.map(({ body }) => body?.location)).toEqual([
      { ...fix, ...LAGOS, source: 'gps' },
      { ...fix, ...LAGOS, source: 'gps' },
    ]);
  });
});
