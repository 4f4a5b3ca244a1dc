import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type { ErrorCode, ErrorDetails, ErrorOutcome } from '../../src/entries/index.js';
import { type PlayerAction, type PlayerSituation, playerMessage } from '../../src/entries/index.js';
import { makeError } from '../../src/errors/make-error.js';
import { english, french } from '../../src/errors/player-words.js';
import { root } from '../support/run.js';

const ACTIONS: readonly PlayerAction[] = ['allow-location', 'ask-again', 'log-in', 'wait', 'contact-support'];
const OUTCOMES: readonly ErrorOutcome[] = ['not-sent', 'rejected', 'unknown'];
const CODES: readonly ErrorCode[] = [
  'configuration',
  'validation',
  'location',
  'network',
  'timeout',
  'aborted',
  'bad-request',
  'authentication',
  'not-found',
  'duplicate',
  'unprocessable',
  'rate-limited',
  'gateway',
];

const failed = (code: ErrorCode, details: ErrorDetails = {}) => makeError(code, 'CANARY: a message for developers', details);
const denied = [{ step: 'browser-geolocation', reason: 'denied', message: 'CANARY', durationMs: 5 }] as const;
const without = [{ ...denied[0], reason: 'not-available' }] as const;
const forbidden = [{ ...denied[0], reason: 'blocked-by-policy' }] as const;

/** The rows of the guide: the description of the error, an example of it, and the situation. */
const ROWS: readonly (readonly [error: string, example: unknown, situation: PlayerSituation])[] = [
  ["`outcome: 'unknown'`", failed('timeout', { outcome: 'unknown' }), 'in-doubt'],
  ["`outcome: 'unknown'`, status 401", failed('authentication', { outcome: 'unknown', status: 401 }), 'in-doubt-logged-out'],
  ['`location`', failed('location', { steps: denied }), 'location'],
  ['`location`, and the browser has no geolocation', failed('location', { steps: without }), 'location-unavailable'],
  ['`location`, and the page may not ask', failed('location', { steps: forbidden }), 'not-working'],
  ['`rate-limited`', failed('rate-limited', { outcome: 'rejected' }), 'busy'],
  ['`rate-limited` with `retryAfterMs`', failed('rate-limited', { outcome: 'rejected', retryAfterMs: 29_001 }), 'busy-for'],
  ['`authentication`, status 401', failed('authentication', { outcome: 'rejected', status: 401 }), 'logged-out'],
  ['`authentication`, other status', failed('authentication', { outcome: 'rejected', status: 502 }), 'not-working'],
  ['`duplicate` without `conflict`, or in doubt', failed('duplicate', { outcome: 'unknown', conflict: true }), 'reported-before'],
  ['`duplicate` with `conflict`', failed('duplicate', { outcome: 'rejected', conflict: true }), 'conflict'],
  ['`validation`', failed('validation', { issues: [] }), 'entries'],
  ['`configuration`, and an error of another package', failed('configuration'), 'not-working'],
  ['`aborted`', failed('aborted'), 'cancelled'],
  ["any other, `outcome: 'not-sent'`", failed('network'), 'not-sent'],
  ["any other, `outcome: 'rejected'`", failed('bad-request', { outcome: 'rejected', status: 403 }), 'refused'],
];

describe('every situation', () => {
  test.each(ROWS)('%s', (_error, example, situation) => {
    expect(playerMessage(example)).toMatchObject({ situation, action: expect.toBeOneOf([...ACTIONS]) });
  });

  test('has a row in the guide, a text in each language, and an action', () => {
    const told = new Set(ROWS.map(([, example]) => playerMessage(example).situation));
    expect([...told].sort()).toEqual(Object.keys(english).sort());
    expect(Object.keys(french).sort()).toEqual(Object.keys(english).sort());
    expect(new Set(ROWS.map(([, example]) => playerMessage(example).action))).toEqual(new Set(ACTIONS));
    for (const [situation, text] of Object.entries(english)) expect(french[situation as PlayerSituation]).not.toBe(text);
  });
});

test('the table of the guide contains it', () => {
  const rows = ROWS.map(([error, example]) => {
    const { text, action } = playerMessage(example);
    return `| ${error} | "${text.replace('30', '…')}" | \`${action}\` |\n`;
  });
  const table = `| error | \`text\` | \`action\` |\n|---|---|---|\n${rows.join('')}\n`;
  expect(readFileSync(join(root, 'docs/how-to/player-messages.md'), 'utf8')).toContain(table);
});

test('every code and outcome has a text and an action, and nothing of the error is in the text', () => {
  for (const code of CODES) {
    for (const outcome of OUTCOMES) {
      for (const status of [undefined, 400, 401, 403, 500, 502, 503]) {
        for (const locale of ['en', 'fr']) {
          const { text, action } = playerMessage(failed(code, { outcome, status, reference: 'CANARY' }), { locale });
          expect(text).toMatch(/^[\p{Lu}].*\.$/u);
          expect(text).not.toMatch(/CANARY|[{}]/);
          expect(ACTIONS).toContain(action);
          if (outcome === 'unknown' && code !== 'duplicate') expect(['ask-again', 'log-in']).toContain(action);
          if (outcome !== 'unknown') expect(action).not.toBe('ask-again');
        }
      }
    }
  }
});

test.each<[string, unknown]>([
  ['a TypeError', new TypeError('CANARY')],
  ['nothing', undefined],
  ['null', null],
  ['a text', 'CANARY'],
  ['an object that only looks like one', { code: 'location', outcome: 'not-sent' }],
])('%s gets the text for a fault', (_what, thrown) => {
  expect(playerMessage(thrown)).toEqual({ situation: 'not-working', text: english['not-working'], action: 'contact-support' });
});

test('a page that does not use it does not load it', async () => {
  const bundle = async (names: string) => {
    const stdin = { contents: `export { ${names} } from './src/entries/page.ts';`, resolveDir: root };
    const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false, logLevel: 'error' });
    return outputFiles[0]?.text ?? '';
  };
  const words = [english['in-doubt'], 'contact-support', 'Redemandez'];
  const [without, within] = [await bundle('createClient'), await bundle('createClient, playerMessage')];
  expect(words.filter((word) => without.includes(word))).toEqual([]);
  expect(words.filter((word) => within.includes(word))).toEqual(words);
});

describe('the texts', () => {
  const doubt = failed('gateway', { outcome: 'unknown' });

  test.each([
    ['fr', french],
    ['fr-CI', french],
    ['FR_ca', french],
    ['en-NG', english],
    ['frr', english],
    ['yo', english],
    ['', english],
    [undefined, english],
  ])('of %s', (locale, words) => {
    expect(playerMessage(doubt, { locale }).text).toBe(words['in-doubt']);
  });

  test('are replaced one by one', () => {
    const messages = { 'in-doubt': 'A kò tíì mọ̀.', 'busy-for': '{seconds} ìṣẹ́jú-aaya' };
    expect(playerMessage(doubt, { messages }).text).toBe('A kò tíì mọ̀.');
    expect(playerMessage(failed('rate-limited', { retryAfterMs: 0 }), { messages }).text).toBe('1 ìṣẹ́jú-aaya');
    expect(playerMessage(failed('network'), { messages, locale: 'fr' }).text).toBe(french['not-sent']);
  });

  test('are not read from a polluted prototype', () => {
    Object.defineProperty(Object.prototype, 'in-doubt', { value: 'polluted', configurable: true });
    try {
      expect(playerMessage(doubt).text).toBe(english['in-doubt']);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'in-doubt');
    }
  });
});
