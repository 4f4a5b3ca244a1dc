import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ErrorDetails, ErrorOutcome } from '../../../src/core/errors/errors.js';
import { makeError } from '../../../src/core/errors/errors.js';
import type { PlayerAction, PlayerMessageOptions, PlayerSituation } from '../../../src/core/errors/player-message.js';
import { english } from '../../../src/core/errors/player-message.js';
import french from '../../../src/core/errors/player-messages/fr.json' with { type: 'json' };
import { StoreError } from '../../../src/core/errors/store-error.js';
import type { ErrorCode } from '../../../src/entries/index.js';
import { createClient, playerMessage } from '../../../src/entries/index.js';
import { failureOf } from '../../support/failure-of.js';
import { root } from '../../support/run.js';

const ACTIONS: readonly PlayerAction[] = ['allow-location', 'ask-again', 'log-in', 'wait', 'contact-support'];

/** The situations without an error: those of a receipt, by its outcome, and those that a page names. */
const OF_RECEIPTS = { recorded: 'recorded', 'already-recorded': 'recorded', accepted: 'accepted' } as const;
const NAMED = { waiting: 'none', asking: 'allow-location', 'in-doubt': 'ask-again' } as const;
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

const failed = (code: ErrorCode, details: ErrorDetails = {}) =>
  makeError(code, 'CANARY: a message for developers', details);
const denied = [{ step: 'browser-geolocation', reason: 'denied', message: 'CANARY', durationMs: 5 }] as const;
const without = [{ ...denied[0], reason: 'not-available' }] as const;
const forbidden = [{ ...denied[0], reason: 'blocked-by-policy' }] as const;

type Failed = ErrorDetails & { readonly code: ErrorCode; readonly isOffline?: boolean };

/** A relay has an environment of its own, which its errors do not name. */
const isRelayed = ({ environment }: Failed) => environment === undefined;
/** Nothing is recorded by a verification. */
const isInDoubt = ({ outcome, operation }: Failed) => outcome === 'unknown' && operation !== 'verifyNin';

afterEach(() => vi.unstubAllGlobals());

/** The message that a page shows, in a browser that knows whether it is offline. */
function messageOf(error: Failed, options?: PlayerMessageOptions) {
  vi.stubGlobal('navigator', { onLine: error.isOffline !== true });
  return playerMessage(failed(error.code, error), options);
}
const answered = ({ status }: Failed) => status !== undefined && status !== 408;
const browserSays = ({ steps = [] }: Failed, reason: string) =>
  steps.some((step) => step.step === 'browser-geolocation' && step.reason === reason);

/**
 * The rows of the guide, in its order: the description of the error, whether an error fits it, and the situation. The
 * first row that fits decides.
 */
const ROWS: readonly (readonly [error: string, fits: (error: Failed) => boolean, situation: PlayerSituation])[] = [
  [
    "`duplicate` with `conflict`, and `outcome` is not `'unknown'`",
    ({ code, conflict, outcome }) => code === 'duplicate' && conflict === true && outcome !== 'unknown',
    'conflict',
  ],
  ['`duplicate`', ({ code }) => code === 'duplicate', 'reported-before'],
  [
    "a report, `outcome: 'unknown'`, status 401 of a relay",
    (error) => isInDoubt(error) && error.status === 401 && isRelayed(error),
    'in-doubt-logged-out',
  ],
  [
    "a report, `outcome: 'unknown'`, and the browser says that it is offline",
    (error) => isInDoubt(error) && error.isOffline === true,
    'offline',
  ],
  ["a report, `outcome: 'unknown'`", isInDoubt, 'in-doubt'],
  [
    '`location`, and the page may not ask',
    (error) => error.code === 'location' && browserSays(error, 'blocked-by-policy'),
    'not-working',
  ],
  [
    '`location`, and the browser has no geolocation',
    (error) => error.code === 'location' && browserSays(error, 'not-available'),
    'location-unavailable',
  ],
  ['`location`', ({ code }) => code === 'location', 'location'],
  [
    '`rate-limited` with `retryAfterMs`',
    ({ code, retryAfterMs }) => code === 'rate-limited' && retryAfterMs !== undefined,
    'busy-for',
  ],
  ['`rate-limited`', ({ code }) => code === 'rate-limited', 'busy'],
  [
    '`authentication`, status 401 of a relay',
    (error) => error.code === 'authentication' && error.status === 401 && isRelayed(error),
    'logged-out',
  ],
  ['`authentication`', ({ code }) => code === 'authentication', 'not-working'],
  ['`validation`', ({ code }) => code === 'validation', 'entries'],
  ['`configuration`', ({ code }) => code === 'configuration', 'not-working'],
  ['`aborted`', ({ code }) => code === 'aborted', 'cancelled'],
  ["any other, `outcome: 'rejected'`", ({ outcome }) => outcome === 'rejected', 'refused'],
  [
    'any other, `retryable: false`, with a status other than 408',
    (error) => !error.retryable && answered(error),
    'refused',
  ],
  ['any other, `retryable: false`', ({ retryable }) => !retryable, 'not-working'],
  [
    'any other, with a status other than 408, or not of a relay',
    (error) => answered(error) || !isRelayed(error),
    'busy',
  ],
  ['any other', () => true, 'not-sent'],
];

/** An error of the page's outbox, as `location-sdk/outbox/indexeddb` throws it. */
const notStored = new StoreError('unavailable', 'CANARY');

/** A page with a relay, and a backend. */
const PLACES = [
  { operation: 'reportBetEvent', environment: undefined },
  { operation: 'reportBetEvent', environment: 'production' },
  { operation: 'verifyNin', environment: 'production' },
] as const;

/** Every combination of the properties that an error can have, in every place where it is thrown. */
const EVERY: readonly Failed[] = PLACES.flatMap(({ operation, environment }) =>
  CODES.flatMap((code) =>
    OUTCOMES.flatMap((outcome) =>
      [undefined, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503].flatMap((status) =>
        [false, true].flatMap((retryable): Failed[] => {
          const error = { code, operation, environment, outcome, status, retryable, reference: 'CANARY' };
          if (code === 'duplicate') return [false, true].map((conflict) => ({ ...error, conflict }));
          if (code === 'rate-limited')
            return [undefined, 0, 29_001].map((retryAfterMs) => ({ ...error, retryAfterMs }));
          if (code === 'location') return [denied, without, forbidden].map((steps) => ({ ...error, steps }));
          if (code === 'network') return [false, true].map((isOffline) => ({ ...error, isOffline }));
          return [error];
        }),
      ),
    ),
  ),
);

const rowFor = (error: Failed) => ROWS.find(([, fits]) => fits(error));
const shown = ({ code, operation, environment, outcome, status, retryable, conflict, retryAfterMs, steps }: Failed) =>
  JSON.stringify({
    code,
    operation,
    environment,
    outcome,
    status,
    retryable,
    conflict,
    retryAfterMs,
    reason: steps?.[0]?.reason,
  });

test('every combination of code, outcome, status and retryable is the situation of its row in the guide', () => {
  const wrong = EVERY.flatMap((error) => {
    const { situation } = messageOf(error);
    const wanted = rowFor(error)?.[2];
    return situation === wanted ? [] : [`${shown(error)}: ${situation}, not ${wanted}`];
  });
  expect(wrong).toEqual([]);
});

test('every row is the first that fits some combination', () => {
  const found = new Set(EVERY.map(rowFor));
  expect(ROWS.filter((row) => !found.has(row)).map(([error]) => error)).toEqual([]);
});

test('the rows cover every situation and action, with a text in each language', () => {
  expect(playerMessage(notStored).situation).toBe('not-working');
  vi.stubGlobal('document', {});
  const situations = new Set<string>([
    ...Object.values(OF_RECEIPTS),
    ...Object.keys(NAMED),
    ...ROWS.map(([, , situation]) => situation),
    playerMessage(notStored).situation,
  ]);
  expect([...situations].sort()).toEqual(Object.keys(english).sort());
  expect(new Set(EVERY.map((error) => messageOf(error).action))).toEqual(new Set(ACTIONS));
});

const folder = join(root, 'src/core/errors/player-messages');

test.each(readdirSync(folder))(
  '%s has a text of its own for each situation, and says if no native speaker has read it',
  (file) => {
    const { review, ...texts } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [situation, text] of Object.entries(english)) {
      expect(texts[situation]).not.toBe(text);
      expect(texts[situation]).toMatch(/^[\p{Lu}].*\.$/u);
      expect(texts[situation].match(/\{\w+\}/g)).toEqual(text.match(/\{\w+\}/g));
    }
    if (file !== 'fr.json') expect(review).toContain('not yet read by a native speaker');
    const { text } = playerMessage(failed('gateway', { outcome: 'unknown' }), { messages: { review, ...texts } });
    expect(text).toBe(texts['in-doubt']);
  },
);

test('a text speaks of the connection only if no server answered, and offers another try only if one can help', () => {
  for (const error of EVERY) {
    const { text, action } = messageOf(error);
    if (/connection/.test(text))
      expect([shown(error), error.status ?? 408, error.retryable, isRelayed(error)]).toEqual([
        shown(error),
        408,
        true,
        true,
      ]);
    if (action === 'wait' && !['rate-limited', 'aborted'].includes(error.code))
      expect([shown(error), error.retryable]).toEqual([shown(error), true]);
  }
});

test('nothing of the error is in the text, and the action never repeats a report that is not in doubt', () => {
  for (const error of EVERY) {
    for (const locale of ['en', 'fr']) {
      const { text, action, isOver } = messageOf(error, { locale });
      expect(text).toMatch(/^[\p{Lu}].*\.$/u);
      expect(text).not.toMatch(/CANARY|[{}]/);
      expect(ACTIONS).toContain(action);
      if (isInDoubt(error) && error.code !== 'duplicate') expect(['ask-again', 'log-in']).toContain(action);
      if (!isInDoubt(error)) expect(action).not.toBe('ask-again');
      if (!isRelayed(error)) expect(text).not.toMatch(/logged out|connection|déconnecté|connexion/);
      expect(isOver).toBe(error.code === 'duplicate');
    }
  }
});

test.each([
  [403, 'bad-request'],
  [404, 'not-found'],
  [413, 'bad-request'],
])('a relay that answers %i sends the player to the support, not to the connection', async (status, code) => {
  const fetch = async () =>
    Response.json({ error: { code, message: 'This is not accepted.', outcome: 'not-sent' } }, { status });
  const client = createClient({ relayUrl: 'https://shop.example.com/relay', fetch });
  const error = await failureOf(client.reportBetEvent({ bet_id: 'B-1' }));
  expect(error).toMatchObject({ outcome: 'not-sent', status, retryable: false });
  expect(playerMessage(error)).toEqual({
    situation: 'refused',
    text: english.refused,
    action: 'contact-support',
    isOver: false,
  });
});

describe('in a backend', () => {
  const bet = { bet_id: 'B-1', user: { user_id: 'U-1' } };
  const backendOf = (fetch: () => Promise<Response>) => {
    const baseUrl = 'https://gateway.example.com';
    return createClient({
      gateways: { production: { baseUrl, apiKey: 'CANARY' } },
      environment: 'production',
      validation: 'partial',
      location: { fixed: { latitude: 6.5, longitude: 3.4, source: 'terminal' } },
      retry: { limit: 0 },
      attemptTimeoutMs: 20,
      fetch,
    });
  };
  const answer = (status: number) => async () => Response.json({ message: 'No', statusCode: status }, { status });
  const reset = async () => Promise.reject(Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' }));
  const refused = async () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }));
  const silence = () => new Promise<Response>(() => {});

  test('a revoked API key says nothing of the player', async () => {
    const error = await failureOf(backendOf(answer(401)).reportBetEvent(bet));
    expect(playerMessage(error)).toMatchObject({ situation: 'not-working', action: 'contact-support', isOver: false });
  });

  test('nor does a gateway that cannot be reached speak of the connection of the player', async () => {
    const error = await failureOf(backendOf(refused).reportBetEvent(bet));
    expect(error).toMatchObject({ outcome: 'not-sent' });
    expect(playerMessage(error)).toMatchObject({ situation: 'busy', action: 'wait' });
  });

  test.each([
    ['a 503', answer(503)],
    ['a reset', reset],
    ['a time-out', silence],
  ])('after %s a verification is tried again, while a report is resent', async (_what, fetch) => {
    const client = backendOf(fetch);
    const verification = await failureOf(client.verifyNin('99012345678'));
    expect(verification).toMatchObject({ outcome: 'unknown' });
    expect(await failureOf(client.resend(verification))).toMatchObject({ code: 'validation' });
    expect(playerMessage(verification)).toMatchObject({ situation: 'busy', action: 'wait', isOver: false });
    const report = await failureOf(client.reportBetEvent(bet));
    expect(playerMessage(report)).toMatchObject({ situation: 'in-doubt', action: 'ask-again', isOver: false });
  });

  test('a held report ends the bet', async () => {
    const message = 'This bet has already been reported';
    const fetch = async () => Response.json({ message, statusCode: 409 }, { status: 409 });
    const error = await failureOf(backendOf(fetch).reportBetEvent(bet));
    expect(playerMessage(error)).toMatchObject({ situation: 'reported-before', isOver: true });
  });
});

test.each(Object.entries(OF_RECEIPTS))('a receipt with the outcome %s ends the bet', (outcome, situation) => {
  const receipt = { outcome, operation: 'reportBetEvent', reference: 'CANARY', attempts: 1 };
  const text = english[situation];
  expect(playerMessage(receipt)).toEqual({ situation, text, action: 'none', isOver: true });
  expect(playerMessage(receipt, { locale: 'fr' }).text).toBe(french[situation]);
});

test.each(Object.entries(NAMED))('the situation %s is given by its name, and ends nothing', (situation, action) => {
  const text = english[situation as keyof typeof NAMED];
  expect(playerMessage(situation)).toEqual({ situation, text, action, isOver: false });
  expect(playerMessage(situation, { messages: { [situation]: 'Jọ̀wọ́.' } }).text).toBe('Jọ̀wọ́.');
});

const unreadable = () => {
  throw new Error('CANARY');
};

test.each<[string, unknown]>([
  ['a TypeError', new TypeError('CANARY')],
  ['nothing', undefined],
  ['null', null],
  ['a text', 'CANARY'],
  ['the name of an inherited member', 'toString'],
  ['an object whose outcome cannot be read', Object.defineProperty({}, 'outcome', { get: unreadable })],
  ['an error whose name cannot be read', Object.defineProperty(new Error('CANARY'), 'name', { get: unreadable })],
  ['an object that only looks like one', { code: 'location', outcome: 'not-sent' }],
])('%s gets the text for a fault', (_what, thrown) => {
  expect(playerMessage(thrown)).toEqual({
    situation: 'not-working',
    text: english['not-working'],
    action: 'contact-support',
    isOver: false,
  });
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
    expect(playerMessage(failed('network', { retryable: true }), { messages, locale: 'fr' }).text).toBe(
      french['not-sent'],
    );
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
