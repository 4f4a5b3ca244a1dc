import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { maskDetails } from '../../src/redact/mask-details.js';
import type { SentValue } from '../../src/schema/sent-values.js';

const personal = (text: string): SentValue => ({ text, kind: 'personal' });
const plain = (text: string): SentValue => ({ text, kind: 'plain' });
const secret = (text: string): SentValue => ({ text, kind: 'secret' });

const mask = (body: unknown, values: readonly SentValue[] = [], identifiers: readonly string[] = []) => maskDetails(body, values, identifiers);

describe('a text that repeats a value', () => {
  const NAME = 'Ọlá-Zúrikel';
  test.each([
    ['unchanged', NAME],
    ['in upper case', NAME.toUpperCase()],
    ['decomposed', NAME.normalize('NFD')],
    ['in a URL', encodeURIComponent(NAME)],
    ['in a URL twice', encodeURIComponent(encodeURIComponent(NAME))],
    ['in JSON of ASCII', '\\u1ecdl\\u00e1-Z\\u00FArikel'],
    ['in JSON within JSON', '{"name":"\\\\u1ecdl\\\\u00e1-Z\\\\u00FArikel"}'],
    ['in HTML', '&#7885;l&#xe1;-Z&#250;rikel'],
    ['in one of its words', 'the player zurikel'],
    ['within a word', 'xZurikelx'],
    ['without its separators', 'olazurikel'],
    ['with other separators', 'Ọlá / Zúrikel'],
  ])('%s is masked', (_, spelled) => {
    const shown = JSON.stringify(mask({ a: [`Refused ${spelled} now`] }, [personal(NAME)]));
    expect(shown).toContain('[masked]');
    expect(shown).not.toMatch(/r.?i.?k.?e.?l/i);
  });

  test.each<[string, SentValue, unknown, unknown]>([
    ['a number of many digits as a number', personal('99012345678'), 99012345678, '[masked]'],
    ['with spaces', personal('99012345678'), '990 1234 5678', '[masked]'],
    ['a date', personal('1990-04-12'), '19900412', '[masked]'],
    ['a piece of the key', secret('sk-1a2b3c4d'), 'a2b3c4', '[masked]'],
    ['a piece of the key within a URL', secret('sk/1a2b3c4d'), 'sk%2F1a2b', '[masked]'],
    ['an amount', plain('1500'), 1500, '[masked]'],
    ['a whole value that is a known word', plain('SUCCESS'), 'status was success', 'status was [masked]'],
    ['a single letter', personal('M'), 'M', '[masked]'],
    ['a body packed into letters', personal('x'), 'QmV0IHJlcG9ydGVkIGZvciBBZGFlemUgT2tvbmt3byBvZiA0IE9ndWkgUm9hZCBFbnVndQ', '[masked]'],
  ])('%s is masked', (_, value, said, shown) => {
    expect(mask({ said }, [value])).toEqual({ said: shown });
  });
});

test.each<[string, SentValue, unknown]>([
  ['an amount within a longer number', plain('1500'), 'limit 15000'],
  ['a short number within another', personal('42'), '1421'],
  ['a truth', personal('true'), true],
  ['nothing', personal('null'), null],
  ['a percent sign', personal('Ada'), '100 % of 20%'],
])('a text that was not sent is unchanged: %s', (_, value, said) => {
  expect(mask([said], [value])).toEqual([said]);
});

it.each(['MrsAdaObi', 'adaObi', 'playerAda'])('masks a short name inside a compound word: %s', (said) => {
  expect(mask([said, { [said]: 1 }], [personal('Ada'), personal('Obi')])).toEqual(['[masked]', { '[masked]': 1 }]);
});

it('keeps no character that a database cannot store or that controls a terminal', () => {
  const body = { 'k\0': 'a\0b', half: 'x\ud800y', '\udc00': 1, escape: '\u001b[31m\u009b', lines: 'one\ttwo\r\nthree', face: '\u{1f600}' };
  const shown = { 'k\ufffd': 'a\ufffdb', half: 'x\ufffdy', '\ufffd': 1, escape: '\ufffd[31m\ufffd', lines: 'one\ttwo\r\nthree', face: '\u{1f600}' };
  expect(mask([body])).toEqual([shown]);
});

it('keeps the identifiers of the report', () => {
  expect(mask({ id: 'B-1', said: 'B-1 of Ada' }, [personal('Ada')], ['B-1'])).toEqual({ id: 'B-1', said: 'B-1 of [masked]' });
});

it('masks names of members, one too many as well', () => {
  expect(mask({ Ada: 1, 'ada-2': 2, ok: 3 }, [personal('Ada')])).toEqual({ '[masked]': 2, ok: 3 });
});

test.each<[string, unknown]>([
  ['a long text', 'a '.repeat(5_000)],
  ['long names', Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}${'n'.repeat(90)}`, 1]))],
  ['many members', Array.from({ length: 300 }, () => 1)],
  ['many short names', Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`n${index}`, 1]))],
])('an answer that is too long is neither shown nor searched for the values of a large report: %s', (_, body) => {
  const values: SentValue[] = [personal('Ada')];
  const search = vi.spyOn(values, 'map');
  expect(mask({ body }, values)).toBe('[an answer too long to show]');
  expect(search).not.toHaveBeenCalled();
});

it.each<[string, (more: number) => unknown]>([
  ['8,192 characters, names included', (more) => ({ said: Array(80).fill('a '.repeat(51)), more: 'no '.repeat(8) + ' '.repeat(more) })],
  ['200 members', (more) => Array(199 + more).fill(1)],
])('an answer is shown up to %s', (_, bodyOf) => {
  expect(mask(bodyOf(0))).toEqual(bodyOf(0));
  expect(mask(bodyOf(1))).toBe('[an answer too long to show]');
});

it('does not follow an answer to any depth', () => {
  const deep = JSON.parse(`${'['.repeat(3_000)}"Ada"${']'.repeat(3_000)}`) as unknown;
  expect(JSON.stringify(mask(deep, [personal('Ada')]))).toBe(`${'['.repeat(11)}"[masked]"${']'.repeat(11)}`);
});

it('accepts any JSON, and never shows a long value', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.string({ minLength: 5, maxLength: 20 }).filter((text) => /[\p{L}\p{N}]{5}/u.test(text)),
      (json, value) => {
        const shown = JSON.stringify(mask({ json, echo: `so: ${value}` }, [personal(value)]));
        expect(shown).not.toContain(JSON.stringify(`so: ${value}`));
      },
    ),
    { numRuns: 300 },
  );
});
