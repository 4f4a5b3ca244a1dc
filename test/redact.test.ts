import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskSent } from '../src/redact.js';
import type { SentValue } from '../src/schema/sent-values.js';

const personal = (text: string): SentValue => ({ text, kind: 'personal' });
const secret = (text: string): SentValue => ({ text, kind: 'secret' });
const plain = (text: string): SentValue => ({ text, kind: 'plain' });

test.each<[string, SentValue[], string]>([
  ['user Adaeze Okonkwo is unknown', [personal('Adaeze Okonkwo')], 'user [masked] is unknown'],
  ['Okonkwo, ADAEZE', [personal('Adaeze Okonkwo')], '[masked], [masked]'],
  ['Adaezes brother', [personal('Adaeze Eke')], 'Adaezes brother'],
  ['key k-1 is invalid, k-1x too', [secret('k-1')], 'key [masked] is invalid, [masked]x too'],
  ['amount 1500 of 1501', [plain('1500')], 'amount [masked] of 1501'],
  ['seat 4 of 44', [personal('4')], 'seat [masked] of 44'],
  ['nin 12345678901 and 123456789012345', [], 'nin [masked] and [masked]'],
  ['a line\u2028\u0000break\u200e', [], 'a line break'],
  ['Road and Road Road', [personal('4 Road')], '[masked] and [masked] [masked]'],
  ['not 100%adaeze', [personal('adaeze')], 'not 100%[masked]'],
  ['the mas ked Ọláyínká', [personal('mas'), personal('ked'), personal('Ọláyínká')], 'the [masked] [masked] [masked]'],
  ['no player Olayinka, Ada\u200beze or Li', [personal('Ọláyínká'), personal('Adaeze'), personal('Li Wei')], 'no player [masked], [masked] or [masked]'],
  ['at 6.45,3.39 with 990 1234 5678', [], 'at [masked],[masked] with [masked]'],
  ['key sk_live_ABCDEF12… was revoked', [{ text: 'sk_live_ABCDEF1234567890', kind: 'secret' as const }], 'key [masked]… was revoked'],
  ['100% of $1 and $& (a+b)', [personal('$1')], '100% of [masked] and $& (a+b)'],
])('%j becomes %3$j', (text, values, expected) => {
  expect(maskSent(text, values)).toBe(expected);
});

test('the gateway may escape what it says: the words are shown without escapes', () => {
  expect(maskSent('bad &quot;status&quot; for N&#39;Golo %26 sons \\u00e9', [personal("N'Golo")])).toBe('bad "status" for [masked] & sons é');
});

test('a long text is cut, and one that is too long is not shown at all', () => {
  expect(maskSent('word '.repeat(200), [])).toHaveLength(301);
  expect(maskSent('x'.repeat(70_000), [])).toBe('[a text too long to show]');
});

test('a value is masked before the text is cut, so that no half of it stays', () => {
  const shown = maskSent(`${'.'.repeat(295)}Adaeze Okonkwo`, [personal('Adaeze Okonkwo')]);
  expect(shown).not.toMatch(/Ada/);
});

describe('whatever a value is', () => {
  const escapes: [name: string, escapeValue: (text: string) => string][] = [
    ['not at all', (text) => text],
    ['as JSON', (text) => JSON.stringify(text)],
    ['for a URL', encodeURIComponent],
    ['for a URL within JSON', (text) => JSON.stringify(encodeURIComponent(text))],
    ['for HTML', (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;').replace(/'/g, '&#39;')],
  ];
  const word = fc.stringMatching(/^[\p{L}\p{N}'&%\\"/<+;#-]{3,12}$/u).filter((text) => !'[masked]refused'.includes(text.toLowerCase()));

  test.each(escapes)('it is masked when it is escaped %s', (_name, escapeValue) => {
    fc.assert(
      fc.property(word, fc.constantFrom(personal, secret), (value, kind) => {
        const shown = maskSent(`refused ( ${escapeValue(value)} )`, [kind(value)]);
        expect(shown).not.toContain(value);
      }),
      { numRuns: 400 },
    );
  });
});

test('the cost of masking depends on the text, not on what was sent', () => {
  const words = Array.from({ length: 50_000 }, (_, index) => `word${index}`).join(' ');
  const values = Array.from({ length: 5_000 }, (_, index) => personal(index % 2 ? 'ked' : 'mas'));
  expect(maskSent('word42 was said', [personal(words), ...values])).toBe('[masked] was said');
});
