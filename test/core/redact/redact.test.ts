import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../src/core/protocol/operations.js';
import { holdsPiece, maskSent } from '../../../src/core/redact/redact.js';
import { isShownWord } from '../../../src/core/redact/vocabulary.js';
import { isModel, type Model } from '../../../src/core/schema/model.js';
import type { SentValue } from '../../../src/core/schema/sent.js';
import { SPELLINGS } from './spellings.js';

const personal = (text: string): SentValue => ({ text, kind: 'personal' });
const secret = (text: string): SentValue => ({ text, kind: 'secret' });
const plain = (text: string): SentValue => ({ text, kind: 'plain' });

test.each<[string, SentValue[], string]>([
  ['user Adaeze Okonkwo is unknown', [], 'user [masked] is unknown'],
  ['Okonkwo, ADAEZE', [], '[masked]'],
  ['user Record is unknown', [personal('Ada Record')], 'user [masked] is unknown'],
  ['the state is unknown', [personal('Cross River State')], 'the [masked] is unknown'],
  ['toString is not valid', [personal('toString')], '[masked] is not valid'],
  ['key k-1 is invalid, k-1x too', [secret('k-1')], 'key [masked] is invalid, [masked] too'],
  ['API key is invalid', [secret('mock-api-key')], 'API key is invalid'],
  ['key mock-api-key is invalid', [secret('mock-api-key')], 'key [masked] is invalid'],
  ['the operator is suspended', [secret('sk-operator-7')], 'the [masked] is suspended'],
  ['amount 1500 of 1501', [plain('1500')], 'amount [masked] of [masked]'],
  ['outcome must be WIN', [plain('WIN')], 'outcome must be [masked]'],
  ['nin 12345678901 and 123456789012345', [], 'nin [masked] and [masked]'],
  ['HTTP 422: not valid', [], 'HTTP 422: not valid'],
  ['status 409', [], 'status 409'],
  ['502 Bad Gateway', [], '502 Bad Gateway'],
  ['status 409', [personal('409')], 'status [masked]'],
  ['status 409 123 456 78', [], 'status [masked]'],
  ['a string of exactly 11 digits', [], 'a string of exactly 11 digits'],
  ['wait 30 seconds', [], 'wait 30 seconds'],
  ['wait 30 seconds', [personal('30')], 'wait [masked] seconds'],
  ['9 9 0 1 digits', [], '[masked] digits'],
  ['34 digits 18 digits 27 digits', [], '34 digits [masked] digits [masked] digits'],
  ['status 341 code 827 error 560', [], 'status 341 code [masked] error [masked]'],
  ['at 6.45,3.39 with 990 1234 5678', [], 'at [masked] with [masked]'],
  ['a line\u2028\u0000break\u200e', [], 'a line [masked]'],
  ['known\u001b[31m red \u202eline', [], '[masked]'],
  ['A d a e z e is a player', [], '[masked] is a player'],
  ['user.nin: expected a string; got a number', [], 'user.nin: expected a string; got a number'],
  [
    '"user.resident_lga" isn\'t valid (see userId, withdrawalId)',
    [],
    '"user.resident_lga" isn\'t valid (see userId, withdrawalId)',
  ],
  ['', [], ''],
])('%j with %j becomes %j', (text, values, expected) => {
  expect(maskSent(text, values)).toBe(expected);
});

test.each<[string, SentValue[], string]>([
  // Signs, names and letters.
  ['bet - settled & reported / recorded', [], 'bet - settled & reported / recorded'],
  ['x-api-key: is missing', [], 'x-api-key: is missing'],
  ['user.a is not valid', [], '[masked] is not valid'],
  ['user A Okonkwo', [], 'user [masked]'],
  ['Ngozi a bet', [], '[masked] bet'],
  ['a a bet', [], '[masked] bet'],
  ['a bet', [personal('a')], 'a bet'],
  ['a', [], '[masked]'],
  // Values in other spellings.
  ['user record', [personal('R\u00e9cord')], 'user [masked]'],
  ['user record', [personal('Rec\u200dord')], 'user [masked]'],
  ['user record', [personal('\uff32\uff45\uff43\uff4f\uff52\uff44')], 'user [masked]'],
  ['user record', [personal('AdaRecord')], 'user [masked]'],
  ['first-name is not valid', [personal('Firstname')], '[masked] is not valid'],
  // A known word within another word of a value hides nothing; six letters of a secret do.
  ['bet settled', [personal('Unsettled')], 'bet settled'],
  ['bet settled', [plain('unsettled')], 'bet settled'],
  ['the record is suspended', [secret('myrecordkey')], 'the [masked] is suspended'],
  // Numbers.
  ['409', [], '409'],
  ['status 409 x2', [], 'status 409 [masked]'],
  ['codes 409', [], 'codes [masked]'],
  ['barcode 409', [], '[masked]'],
  ['Ngozi seconds', [], '[masked] seconds'],
  ['wait 30, seconds', [], 'wait [masked] seconds'],
  ['at 17 30 seconds', [], 'at [masked] seconds'],
  ['wait 130 seconds', [], 'wait [masked] seconds'],
  ['wait 30 milliseconds', [], 'wait [masked] milliseconds'],
  ['wait 30 requested', [], 'wait [masked] requested'],
])('%j with %j is shown as %j', (text, values, expected) => {
  expect(maskSent(text, values)).toBe(expected);
});

test.each(['digit', 'character', 'decimal', 'second', 'minute', 'hour', 'day', 'byte', 'request', 'attempt'])(
  'a small number before "%s" is shown',
  (unit) => {
    for (const said of [`after 12 ${unit}`, `after 12 ${unit}s`]) expect(maskSent(said, [])).toBe(said);
  },
);

test('an identifier is shown although a plain value, or two letters of a personal one, are parts of it', () => {
  for (const value of [plain('1'), plain('B-17'), personal('B-')])
    expect(maskSent('bet B-1734', [value], ['B-1734'])).toBe('bet B-1734');
  expect(maskSent('bet settled', [plain('settled')], ['settled'])).toBe('bet settled');
  expect(maskSent('bet B-1734', [personal('B-1')], ['B-1734'])).toBe('bet [masked]');
});

test.each(['x\u202eabc', 'abc\u202e', '\u202eabc', 'abc\u001b', '\u001babc'])(
  'an identifier with a control character is not shown: %j',
  (identifier) => {
    expect(maskSent(`bet ${identifier}`, [], [identifier])).toBe('bet [masked]');
  },
);

test('the identifiers of the report are shown, except those that repeat a masked value', () => {
  expect(maskSent('bet B-1, not B-2', [], ['B-1'])).toBe('bet B-1, not [masked]');
  expect(maskSent('bet 99012345678 is known', [personal('99012345678')], ['99012345678'])).toBe(
    'bet [masked] is known',
  );
  expect(maskSent('990 123 45 67 8', [], ['45', 'x\u202e'])).toBe('[masked]');
});

test('a long text is cut, and one that is too long is not shown at all', () => {
  expect(maskSent('word '.repeat(200), [])).toHaveLength(8);
  expect(maskSent('words '.repeat(200), [])).toHaveLength(301);
  expect(maskSent('x'.repeat(70_000), [])).toBe('[a text too long to show]');
});

test('a text is read up to 4,096 characters and shown up to 300', () => {
  expect(maskSent('x'.repeat(4_096), [])).toBe('[masked]');
  expect(maskSent('x'.repeat(4_097), [])).toBe('[a text too long to show]');
  const whole = `${'words '.repeat(49)}status`;
  expect(maskSent(whole, [])).toBe(whole);
  const long = `${'words '.repeat(50)}words`;
  expect(maskSent(long, [])).toBe(`${long.slice(0, 300)}…`);
  expect(maskSent(`${'words '.repeat(48)}bet Ngozi Eze`, [])).toBe(`${'words '.repeat(48)}bet [masked]`);
});

test('a key is recognised by any six of its characters', () => {
  for (const piece of ['sk-123', '234567', '-12345', 'sk-1234567'])
    expect(holdsPiece(`the key ${piece} is wrong`, 'sk-1234567')).toBe(true);
  expect(holdsPiece('the key sk-123 is wrong', 'sk-123')).toBe(true);
  for (const other of ['sk-12', '34567', '7654321', '']) expect(holdsPiece(other, 'sk-1234567')).toBe(false);
  expect(holdsPiece('the key sk-12', 'sk-12')).toBe(false);
});

test('the cost of masking depends on the text, not on the sent values', () => {
  const words = Array.from({ length: 50_000 }, (_, index) => `word${index}`).join(' ');
  const values = Array.from({ length: 5_000 }, (_, index) => personal(index % 2 ? 'ked' : 'mas'));
  const began = performance.now();
  expect(maskSent('bet 42 was said', [personal(words), ...values])).toBe('bet [masked] was said');
  expect(performance.now() - began).toBeLessThan(10_000);
});

test('many paths of fields are not looked for in each of many values', () => {
  const values = Array.from({ length: 5_000 }, (_, index) => personal(`user value ${index}`));
  const said = 'user_id '.repeat(500);
  const began = performance.now();
  expect(maskSent(said, values)).toMatch(/^user_id user_id/);
  expect(performance.now() - began).toBeLessThan(10_000);
});

/** The names of all fields of a model, at any depth. */
const namesOf = ({ fields }: Model): string[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    name,
    ...(isModel(field) ? namesOf(field).map((inner) => `${name}.${inner}`) : []),
  ]);

describe('useful words are shown:', () => {
  test.each(Object.values(operations).map(({ name, request }) => [name, request] as const))(
    'the names of the fields of %s',
    (_, request) => {
      for (const name of [...namesOf(request), 'location.latitude', 'location.source'])
        expect(maskSent(`${name}: is required`, [])).toBe(`${name}: is required`);
    },
  );

  test.each([
    'Bet event reported successfully',
    'Settled bet reported successfully',
    'Withdrawal event reported successfully',
    'Withdrawal settled successfully',
    'NIN could not be verified',
    'API key is missing',
    'API key is invalid',
    'This data has already been reported',
    'This bet_id has already been reported with different data',
    'bet_id has no initiated report; report it before settling',
    'The body is not a JSON object',
    'Too many requests',
    'Record not found',
    'Method Not Allowed',
    'Unprocessable Entity',
    'Internal Server Error',
    'Service Unavailable',
    'user.nin: expected a string of exactly 11 digits (a number would lose leading zeros), got a number',
    'location: is required',
    'This operator is suspended',
    'user.resident_lga is not known',
  ])('%s', (message) => {
    expect(maskSent(message, [])).toBe(message);
  });
});

test.each(
  'adaeze chinedu grace sunday friday monday will mark may rose king blessing one two seven zero eleven delta lagos abuja street road zenith union local government national future choice alpha constant'.split(
    ' ',
  ),
)('the name or number "%s" is not among the words that are shown', (word) => {
  expect(isShownWord(word)).toBe(false);
});

test('only the words of the list are shown: neither an empty text nor a part of a word', () => {
  for (const word of ['settled', 'x-api-key', 'a', '--validation', 'zone']) expect(isShownWord(word)).toBe(true);
  for (const word of ['', ' ', 'settle d', 'ettled', 'settled bet', 'Settled']) expect(isShownWord(word)).toBe(false);
});

/** The readable content of a text: its letters and digits, without separators. */
const readable = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

describe.each(SPELLINGS)('a canary %s', (_, spell) => {
  const canary = fc.oneof(
    fc.stringMatching(/^[0-9]{11}$/),
    fc.stringMatching(/^[0-9]{1,2}\.[0-9]{4,6}$/),
    fc.stringMatching(/^TX-[0-9]{5}-[QZX]{2}$/),
    fc.stringMatching(/^[A-Z][bcdfgjkqvxz]{3,9}$/),
    fc.stringMatching(/^[\u1e00-\u1eff\u00c0-\u00d6]{4,8}$/),
  );
  const frame = fc.constantFrom<(inner: string) => string>(
    (inner) => `The value ${inner} is not allowed`,
    (inner) => `nin: ${inner}`,
    (inner) => `(${inner})`,
    (inner) => inner,
    (inner) => `{"nin":"${inner}"}`,
    (inner) => `HTTP ${inner}`,
  );

  test('is never shown, whether it was sent or not', () => {
    fc.assert(
      fc.property(canary, frame, fc.boolean(), (value, put, wasSent) => {
        // By chance a canary or its spelling can be a word that is always shown, a part of the frame, or contain the
        // word that joins its parts.
        fc.pre(!isShownWord(spell(value).toLowerCase()) && !readable(value).includes('and'));
        const framed = readable(put(''));
        fc.pre(!framed.includes(readable(value)) && !framed.includes(readable(spell(value))));
        const shown = maskSent(put(spell(value)), wasSent ? [personal(value)] : []);
        const rest = shown.replaceAll('[masked]', '');
        expect(rest).not.toMatch(/[^\x20-\x7e]/);
        // Of a spelling at most the words that join its parts remain.
        for (const word of readableWords(rest)) expect(isShownWord(word)).toBe(true);
        expect(readable(rest).replaceAll('and', '')).not.toContain(readable(spell(value)).replaceAll('and', ''));
        expect(rest).not.toMatch(/[0-9]/);
      }),
      { numRuns: 300 },
    );
  });
});

const readableWords = (text: string): string[] => text.toLowerCase().match(/[a-z][a-z0-9]*/g) ?? [];

describe('a known word that is a personal value', () => {
  const word = fc.constantFrom('record', 'state', 'self', 'page', 'win', 'success', 'bank', 'field', 'gateway');

  test('is masked at every place', () => {
    fc.assert(
      fc.property(
        word,
        fc.constantFrom(
          String,
          (text: string) => text.toUpperCase(),
          (text: string) => `"${text}",`,
          (text: string) => `user.${text}`,
        ),
        (value, spell) => {
          expect(maskSent(`the ${spell(value)} is not there`, [personal(`Ada ${value}`)])).toBe(
            'the [masked] is not there',
          );
        },
      ),
    );
  });
});
