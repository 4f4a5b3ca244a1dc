import { describe, expect, test } from 'vitest';
import { hasCode } from '../../../src/core/errors/errors.js';
import { type ConfigurationError, createClient } from '../../../src/entries/index.js';
import { createRelay, type RelayOptions } from '../../../src/entries/relay.js';

const good = { client: createClient(), authorize: () => null };

function problemsOf(options: object): readonly string[] {
  try {
    createRelay(options as RelayOptions);
  } catch (error) {
    if (hasCode(error, 'configuration'))
      return ((error as ConfigurationError & { issues: { path: string }[] }).issues ?? []).map(({ path }) => path);
    throw error;
  }
  return [];
}

describe('the options of a relay', () => {
  test('that are enough', () => {
    expect(problemsOf(good)).toEqual([]);
  });

  test('that are left out are named, all at once', () => {
    expect(problemsOf({})).toEqual(['client', 'authorize']);
    expect(problemsOf(undefined as never)).toEqual(['client', 'authorize']);
  });

  test.each<[string, unknown]>([
    ['client', { reportBetEvent: () => {} }],
    ['authorize', true],
    ['complete', {}],
    ['limit', 5],
    ['onReceipt', 'x'],
    ['onError', null],
    ['environment', 'test'],
    ['allowedOrigins', 'https://play.example'],
    ['allowedOrigins', ['*']],
    ['allowedOrigins', ['https://*.example']],
    ['allowedOrigins', ['null']],
    ['allowedOrigins', ['file://']],
    ['allowedOrigins', ['file://localhost']],
    ['allowedOrigins', ['capacitor://']],
    ['allowedOrigins', ['capacitor://localhost/']],
    ['allowedOrigins', ['capacitor://*']],
    ['allowedOrigins', ['capacitor:localhost']],
    ['allowedOrigins', ['ws://localhost']],
    ['allowedOrigins', ['ftp://localhost']],
    ['allowedOrigins', ['Capacitor://localhost']],
    ['allowNative', 'yes'],
    ['allowedOrigins', ['https://play.example/']],
    ['allowedOrigins', ['http://play.example']],
    ['allowedOrigins', [/play/]],
    ['allowedHeaders', ['x y']],
    ['allowedHeaders', ['*']],
    ['gpsSource', ' '],
    ['maxBodyBytes', 0],
    ['bodyTimeoutMs', Number.POSITIVE_INFINITY],
    ['hookTimeoutMs', 0],
    ['timeoutMs', '1'],
    ['timestampWindowMs', 0],
    ['timestampWindowMs', Number.POSITIVE_INFINITY],
    ['logger', 'console'],
    ['clock', {}],
    ['alowedOrigins', []],
  ])('%s cannot be %j', (name, value) => {
    expect(problemsOf({ ...good, [name]: value })).toEqual([name]);
  });

  test('that are misspelt are reported with the right name', () => {
    expect(() => createRelay({ ...good, alowedOrigins: [] } as never)).toThrow(/did you mean allowedOrigins/);
  });

  test('that name a wrong origin are answered with examples, that of an app included', () => {
    expect(() => createRelay({ ...good, allowedOrigins: ['null'] })).toThrow(
      /allowedOrigins: expected origins such as https:\/\/play\.example\.com, or capacitor:\/\/localhost of an app.*null and file: may be any page/,
    );
  });

  test.each([
    ['http://localhost:5173'],
    ['https://play.example'],
    ['https://play.example:8443'],
    ['capacitor://localhost'],
    ['ionic://localhost'],
    ['app://localhost'],
    ['com.example.app://play:8080'],
  ])('%s may be an allowed origin', (origin) => {
    expect(problemsOf({ ...good, allowedOrigins: [origin] })).toEqual([]);
  });
});
