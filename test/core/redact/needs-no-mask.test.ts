import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operations } from '../../../src/core/protocol/operations.js';
import { maskSent, needsNoMask } from '../../../src/core/redact/redact.js';
import { sentValues } from '../../../src/core/schema/sent.js';

const OWN = {
  bet_id: 'B-1',
  user: { user_id: 'U-1', first_name: 'Adaeze', last_name: 'Okonkwo', nin: '99012345678' },
  win_amount: 0,
};
const json = JSON.stringify(OWN);

test.each([
  ['Settled bet event reported successfully', true],
  ['Recorded.', true],
  // An unknown word, a number, a quote, a line break and two spaces need the whole search.
  ['Settled bet of Adaeze', false],
  ['adaeze', false],
  ['status 409', false],
  ['"settled"', false],
  ['settled\nbet', false],
  ['settled  bet', false],
  ['settled bet-event', false],
  ['', false],
])('%j: %j', (said, expected) => {
  expect(needsNoMask(said, json, [])).toBe(expected);
});

test.each([
  ['as a whole value', { ...OWN, user: { first_name: 'Settled' } }],
  ['inside a longer value', { ...OWN, user: { last_name: 'Unsettled' } }],
  ['after a quote and a colon inside a value', { ...OWN, user: { last_name: 'a"settled":b' } }],
  ['with marks', { ...OWN, user: { last_name: 'S\u00e9ttl\u00e9d' } }],
  ['with an invisible character', { ...OWN, user: { last_name: 'set\u200dtled' } }],
  ['before a wide quote and a wide colon, which are folded', { ...OWN, user: { last_name: 'Settled\uff02\uff1a' } }],
  ['in a list', { ...OWN, own: ['settled'] }],
])('a known word that was sent needs the whole search: %s', (_, body) => {
  expect(needsNoMask('Settled bet event reported', JSON.stringify(body), [])).toBe(false);
});

test('a body with an escape needs the whole search: another writer of JSON may have escaped letters', () => {
  expect(needsNoMask('Settled bet event reported', '{"user":{"last_name":"S\\u0065ttled"}}', [])).toBe(false);
});

test('no character that is folded into a quote makes a value pass for the name of a member', () => {
  const quotes = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
    character.normalize('NFKD').includes('"'),
  );
  expect(quotes).toContain('"');
  expect(quotes.length).toBeGreaterThan(1);
  for (const quote of quotes)
    expect(needsNoMask('Settled bet', JSON.stringify({ user: { last_name: `Settled${quote}:` } }), [])).toBe(false);
});

test('a text longer than a shown one needs the whole search, which shortens it', () => {
  const said = Array.from({ length: 21 }, () => 'unauthenticated').join(' ');
  expect(needsNoMask(said, json, [])).toBe(false);
  expect(maskSent(said, [], [])).toHaveLength(301);
});

test('a text of 300 characters is read whole', () => {
  const said = `${'unauthenticated '.repeat(18)}verification`;
  expect(said).toHaveLength(300);
  expect(needsNoMask(said, json, [])).toBe(true);
  expect(needsNoMask(`${said}.`, json, [])).toBe(false);
});

test.each(['sk-settled-7', 'settled":', 'settled\uff02:'])(
  'a known word within the secret %s needs the whole search',
  (secret) => {
    expect(needsNoMask('Settled bet event reported', json, [secret])).toBe(false);
  },
);

test('a sentence that was kept is compared with each report anew, also among more sentences than are kept', () => {
  const words = ['bet', 'event', 'settled', 'report', 'is', 'it', 'was', 'now', 'all', 'of', 'to'];
  const sentences = words.flatMap((one) => words.map((other) => `${one} ${other}`));
  const own = JSON.stringify({ ...OWN, user: { last_name: 'Settled' } });
  for (const said of [...sentences, ...sentences]) {
    expect(needsNoMask(said, json, [])).toBe(true);
    expect(needsNoMask(said, own, [])).toBe(!said.includes('settled'));
  }
});

const WORDS = ['settled', 'bet', 'event', 'reported', 'a', 'bank', 'state', 'win', 'adaeze', 'id'];
const value = fc.oneof(
  fc.string(),
  fc.constantFrom(...WORDS),
  fc.constantFrom('a"bet":', 'bet\uff02:', 'Cross River State', 'B\u0000et', '\u00c4dAeze', 'unB\u00e9t'),
  fc.double(),
);

test('wherever it is true, the whole search leaves the text unchanged', () => {
  const { request } = operations.reportSettledBet;
  let unchanged = 0;
  fc.assert(
    fc.property(
      fc
        .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...WORDS) }, fc.string()), { maxLength: 6 })
        .map((words) => words.join(' ')),
      fc.record({
        bet_id: value,
        outcome: value,
        user: fc.record({ user_id: value, first_name: value, nin: value }),
        own: fc.array(value, { maxLength: 2 }),
        metadata: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...WORDS, 'of the bet', 'bet":')), value, {
          maxKeys: 2,
        }),
      }),
      fc.array(fc.constantFrom('sk-reported-1', 'k', 'bet":'), { maxLength: 1 }),
      (said, body, secrets) => {
        const text = JSON.stringify(body);
        if (!needsNoMask(said, text, secrets)) return;
        unchanged += 1;
        const values = [
          ...sentValues(request, JSON.parse(text)),
          ...secrets.map((secret) => ({ text: secret, kind: 'secret' as const })),
        ];
        expect(maskSent(said, values, [])).toBe(said);
      },
    ),
    { numRuns: 3_000 },
  );
  expect(unchanged).toBeGreaterThan(50);
});
