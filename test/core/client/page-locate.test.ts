import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { optionTable } from '../../../src/core/client/option-table.js';
import { complete } from '../../../src/core/schema/option-rules.js';
import { createClient as createMainClient } from '../../../src/entries/index.js';
import { failureOf } from '../../support/failure-of.js';
import { FakePage, type Request } from '../location/page/fake-page.js';

const LAGOS = { latitude: 6.4474, longitude: 3.3903, accuracy: 12 };
const DEFAULT_CLIENT = Symbol.for('location-sdk.default-client');

let page: FakePage;
/** A fresh copy of `location-sdk/page`, which remembers no position. */
let sdk: typeof import('../../../src/entries/page.js');

beforeEach(async () => {
  page = new FakePage();
  for (const name of ['isSecureContext', 'navigator', 'document'] as const) vi.stubGlobal(name, page[name]);
  vi.resetModules();
  sdk = await import('../../../src/entries/page.js');
});

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(globalThis, DEFAULT_CLIENT);
});

const grant = () => {
  page.answer = ({ success }) => success({ coords: LAGOS });
};
const deny = () => {
  page.answer = ({ failure }) => failure({ code: 1 });
};

test('gives the position without configure, in the shape of a client', async () => {
  grant();
  const found = await sdk.locate();
  const step = { step: 'browser-geolocation', durationMs: expect.any(Number) };
  expect(found).toEqual({ ...LAGOS, source: 'gps', ageMs: expect.any(Number), steps: [step] });
  const client = sdk.createClient({ relayUrl: 'https://operator.test/relay' });
  expect({ ...found, ageMs: 0 }).toEqual({ ...(await client.locate()), ageMs: 0, steps: [step] });
});

test('asks once for calls at the same time and for the minute after', async () => {
  grant();
  await Promise.all([sdk.locate(), sdk.locate()]);
  await sdk.locate();
  expect(page.asked).toHaveLength(1);
});

test('asks with the defaults of a client', async () => {
  const requests = () => page.asked.map(({ options }): Request => options);
  page.answer = ({ failure }) => failure({ code: 2 });
  await failureOf(sdk.locate());
  const [first, second] = requests();
  const { browser } = complete(optionTable.location, {});
  expect(first).toEqual({ enableHighAccuracy: true, timeout: 7_000, maximumAge: browser.maximumAgeMs });
  expect(second).toEqual({ enableHighAccuracy: false, timeout: 3_000, maximumAge: browser.maximumAgeMs });
  expect(browser).toMatchObject({ enabled: true, highAccuracy: true, timeoutMs: 10_000 });
});

test('rejects with the reason, and does not ask again after a denial', async () => {
  deny();
  const error = await failureOf(sdk.locate());
  expect(error).toMatchObject({
    name: 'LocationError',
    code: 'location',
    operation: 'locate',
    outcome: 'not-sent',
    steps: [{ step: 'browser-geolocation', reason: 'denied' }],
  });
  expect(error.message).toContain('ask the player to allow location');
  expect(sdk.isReportingError(error)).toBe(true);
  await failureOf(sdk.locate());
  expect(page.asked).toHaveLength(1);
});

test('rejects as aborted and as timed out, as a client does', async () => {
  expect(await failureOf(sdk.locate({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted' });
  // Else a millisecond between two timers decides whether the call or its only source is over first.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const failure = failureOf(sdk.locate({ timeoutMs: 5 }));
  await vi.advanceTimersByTimeAsync(5);
  expect(await failure).toMatchObject({ code: 'timeout', retryable: true });
});

test.each([Number.NaN, 0, -1, '5', null, Number.POSITIVE_INFINITY, 2_147_483_648])(
  'refuses timeoutMs: %s in the words of a client, and asks nothing',
  async (timeoutMs) => {
    grant();
    const options = { timeoutMs } as { timeoutMs: number };
    const error = await failureOf(sdk.locate(options));
    expect(error).toMatchObject({ code: 'validation', issues: [{ path: 'timeoutMs' }] });
    expect(error.message).toContain('expected a number of milliseconds from 1 to 2147483647');
    expect(await failureOf(createMainClient().locate(options))).toMatchObject({ code: 'validation' });
    expect(page.asked).toEqual([]);
  },
);

test('after configure it is that of the default client', async () => {
  grant();
  sdk.configure({
    relayUrl: 'https://operator.test/relay',
    location: sdk.fixedLocation({ latitude: 9, longitude: 7, source: 'terminal' }),
  });
  expect(await sdk.locate()).toEqual({ latitude: 9, longitude: 7, source: 'terminal', ageMs: 0, steps: [] });
  expect(page.asked).toEqual([]);
});
