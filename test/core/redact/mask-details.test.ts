import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { maskDetails, maskSent } from '../../../src/core/redact/redact.js';
import type { SentValue } from '../../../src/core/schema/sent.js';

const personal = (text: string): SentValue => ({ text, kind: 'personal' });
const plain = (text: string): SentValue => ({ text, kind: 'plain' });
const secret = (text: string): SentValue => ({ text, kind: 'secret' });

const mask = (body: unknown, values: readonly SentValue[] = [], identifiers: readonly string[] = []) =>
  maskDetails(body, values, identifiers);

test.each<[string, SentValue | undefined, unknown, unknown]>([
  ['known words', undefined, 'user.nin is not valid', 'user.nin is not valid'],
  ['a code of known words', undefined, 'DUPLICATE_REPORT', 'DUPLICATE_REPORT'],
  ['the name of another person', undefined, 'Ngozi Eze is suspended', '[masked] is suspended'],
  ['a number of another person', undefined, 99012345678, '[masked]'],
  ['the same number as a text', undefined, '99012345678', '[masked]'],
  ['a small number', undefined, 12, '[masked]'],
  ['a code that only the gateway knows', undefined, 'LIC-4711', '[masked]'],
  ['a sent amount', plain('1500'), 1500, '[masked]'],
  ['a sent value that is a known word', plain('SUCCESS'), 'status was success', 'status was [masked]'],
  ['a piece of the key', secret('sk-1a2b3c4d'), 'a2b3c4', '[masked]'],
  ['a letter', undefined, 'A', '[masked]'],
  ['an empty text', undefined, '', ''],
  ['a truth', personal('true'), true, true],
  ['nothing', personal('null'), null, null],
  ['control characters', undefined, 'a\0b \u001b[31m\u009b', '[masked]'],
  ['half of a character', undefined, 'x\ud800y', '[masked]'],
])('%s', (_, value, said, shown) => {
  expect(mask({ said: [said, { said }] }, value && [value])).toEqual({ said: [shown, { said: shown }] });
});

it('reads a text as the same text in a message', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('The user ', 'HTTP 422: ', 'wait 30 seconds, '),
      (text, before) => {
        expect(mask({ said: `${before}${text}` }, [personal('Ada')])).toEqual({
          said: maskSent(`${before}${text}`, [personal('Ada')]),
        });
      },
    ),
  );
});

it('shows a name of known words, also in a path', () => {
  const paths = { 'status/error': 'is required', '/status/error': 'is required', '#/status': 'is required' };
  expect(mask({ ...paths, 'a/b': 'is required' })).toEqual({ ...paths, '[masked]': 'is required' });
});

it('masks a value that stands before the path of a field', () => {
  for (const name of ['Okonkwo', 'Bet', 'Status'])
    expect(maskSent(`${name}.first_name must be a string`, [personal(name)])).toBe('[masked] must be a string');
});

describe('a number', () => {
  it.each(['statusCode', 'status', 'status_code', 'httpStatus', 'code', 'error'])(
    'is shown if it is a status named %s',
    (name) => {
      expect(mask({ [name]: 422 })).toEqual({ [name]: 422 });
      expect(mask({ [name]: '422' })).toEqual({ [name]: '422' });
    },
  );

  it('of more digits, of fewer, with a sign or under another name is masked', () => {
    for (const number of [4_711, 42, 99_012_345_678, -422, 422.5, 0, 1e21])
      expect(mask({ code: number })).toEqual({ code: '[masked]' });
    for (const name of ['limit', 'line', 'user', 'stake'])
      expect(mask({ [name]: 422 })).toEqual({ [name]: '[masked]' });
  });

  it('is shown once, since several could spell a longer one', () => {
    expect(mask([{ code: 345 }, { code: 123 }, { code: 345 }])).toEqual([
      { code: 345 },
      { code: '[masked]' },
      { code: 345 },
    ]);
    expect(mask({ message: 'HTTP 345', code: 123, error: 'status 451' })).toEqual({
      message: 'HTTP 345',
      code: '[masked]',
      error: 'status [masked]',
    });
    expect(mask({ code: [345, 123], limit: ['345', '123'] })).toEqual({
      code: ['[masked]', '[masked]'],
      limit: ['[masked]', '[masked]'],
    });
  });

  it('that was sent is masked', () => {
    expect(mask({ code: 422 }, [personal('422')])).toEqual({ code: '[masked]' });
  });
});

it('keeps the identifiers of the report', () => {
  expect(mask({ id: 'B-1', said: 'B-1 of Ada' }, [personal('Ada')], ['B-1'])).toEqual({
    id: 'B-1',
    said: 'B-1 of [masked]',
  });
});

it('masks the name of a member that repeats a sent value in known words', () => {
  expect(mask({ 'Field-Long': 'no', FieldLong: 'no', field: 'no' }, [personal('Field-Long')])).toEqual({
    '[masked]': 'no',
  });
});

it('keeps the names of members in known words', () => {
  expect(mask({ Ngozi: 'no', 'user.nin': 'no', statusCode: 'no', a: 'no' })).toEqual({
    '[masked]': 'no',
    'user.nin': 'no',
    statusCode: 'no',
  });
  const paths = { 'user.resident_lga': 'no', '/user/nin': 'no', residentState: 'no' };
  const sent: SentValue = { text: 'Cross River State', kind: 'personal', composed: true };
  expect(mask(paths, [sent, personal('Resident')])).toEqual(paths);
  for (const name of ['user.ngozi', 'ngozi-user', 'userNgozi', 'user.a', ''])
    expect(mask({ [name]: 'no' })).toEqual({ '[masked]': 'no' });
});

test.each<[string, unknown]>([
  ['a long text', 'a '.repeat(5_000)],
  ['long names', Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}${'n'.repeat(90)}`, 1]))],
  ['many members', Array.from({ length: 300 }, () => 1)],
  ['many short names', Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`n${index}`, 1]))],
])('an answer that is too long is not shown: %s', (_, body) => {
  expect(mask({ body }, [personal('Ada')])).toBe('[an answer too long to show]');
});

it.each<[string, (more: number) => unknown]>([
  [
    '8,192 characters, names included',
    (more) => ({ said: Array(80).fill('no '.repeat(34)), more: 'no '.repeat(8) + ' '.repeat(more) }),
  ],
  ['200 members', (more) => Array(199 + more).fill('no')],
])('an answer is shown up to %s', (_, bodyOf) => {
  const shown = JSON.stringify(mask(bodyOf(0)));
  expect(shown).toContain('"no');
  expect(shown).not.toContain('masked');
  expect(mask(bodyOf(1))).toBe('[an answer too long to show]');
});

it('does not follow an answer to any depth', () => {
  const deep = JSON.parse(`${'['.repeat(3_000)}"Ada"${']'.repeat(3_000)}`) as unknown;
  expect(JSON.stringify(mask(deep, [personal('Ada')]))).toBe(`${'['.repeat(11)}"[masked]"${']'.repeat(11)}`);
  const deepMembers = JSON.parse(`${'{"list":'.repeat(3_000)}"no"${'}'.repeat(3_000)}`) as unknown;
  expect(JSON.stringify(mask(deepMembers))).toBe(`${'{"list":'.repeat(11)}"[masked]"${'}'.repeat(11)}`);
});

it('shows and counts texts down to ten levels, and masks all below', () => {
  const nest = (levels: number, said: string) =>
    JSON.parse(`${'['.repeat(levels)}${JSON.stringify(said)}${']'.repeat(levels)}`) as unknown;
  expect(mask(nest(10, 'no'))).toEqual(nest(10, 'no'));
  expect(mask(nest(10, 'no '.repeat(3_000)))).toBe('[an answer too long to show]');
  for (const said of ['no', 'no '.repeat(3_000)]) expect(mask(nest(11, said))).toEqual(nest(11, '[masked]'));
});

it('accepts any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      expect(JSON.stringify(mask({ json })) ?? '').not.toMatch(/[^\x20-\x7e]/);
    }),
    { numRuns: 300 },
  );
});
