import { afterEach, describe, expect, test, vi } from 'vitest';
import { isReportingError } from '../../../src/core/errors/errors.js';
import { type ClientOptions, createClient } from '../../../src/entries/index.js';
import { betEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { recordingFetch } from '../../support/recording-fetch.js';

const location = { latitude: 6.45, longitude: 3.39 };
const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } };

/** A function of the platform as another script replaced it: it throws from a call on. */
function throwing<Given extends unknown[], T>(original: (...given: Given) => T, from: number) {
  let calls = 0;
  return (...given: Given): T => {
    calls += 1;
    if (calls >= from) throw new Error('a bug of another script');
    return original(...given);
  };
}

const FUNCTIONS: [name: string, replace: (from: number) => unknown][] = [
  ['Date.now', (from) => vi.spyOn(Date, 'now').mockImplementation(throwing(Date.now, from))],
  ['setTimeout', (from) => vi.stubGlobal('setTimeout', throwing(setTimeout, from))],
  ['JSON.parse', (from) => vi.spyOn(JSON, 'parse').mockImplementation(throwing(JSON.parse, from))],
];

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const report = async (options: ClientOptions, call: object) =>
  createClient({ gateways, retry: { limit: 0 }, ...options }).reportBetEvent(betEvent(), call);

describe.each(FUNCTIONS)('a %s of another script that throws', (_, replace) => {
  test.each(
    [1, 2, 3, 4, 5, 6].flatMap((from) => [
      { from, what: 'with a location', call: { location } },
      { from, what: 'with a location to find', call: {} },
    ]),
  )('at its call $from, $what, is not called your clock', async ({ from, call }) => {
    const { fetch } = recordingFetch();
    const lookup = async () => ({ ...location, country: 'NG' });
    replace(from);
    const result = await report({ fetch, location: { ip: { providers: [{ name: 'own', lookup }] } } }, call).catch(
      (error: unknown) => error,
    );
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    if (!(result instanceof Error)) return expect(result).toMatchObject({ operation: 'reportBetEvent' });
    expect(isReportingError(result), String(result)).toBe(true);
    if (/clock/.test(result.message)) expect(result.message).toContain('that another script replaced');
  });
});

test('a clock of your own that throws is named', async () => {
  const { fetch } = recordingFetch();
  const clock = {
    now: Date.now,
    setTimeout: () => {
      throw new Error('a bug of the caller');
    },
    clearTimeout: () => undefined,
  };
  const error = await failureOf(() => report({ fetch, clock }, { location }));
  expect(error).toMatchObject({ code: 'configuration' });
  expect(error.message).toContain('the clock, random or signal that you passed');
});
