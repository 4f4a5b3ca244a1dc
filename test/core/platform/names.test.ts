import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoted, shownName, storedName } from '../../../src/core/platform/messages.js';

/** Texts that look like escapes, invisible characters, spaces at the ends, and any Unicode, also halves of characters. */
const PIECES = [
  '\\',
  'u200b',
  '\\u005c',
  'u',
  '\u200b',
  '\u034f',
  '\u3164',
  '\u2800',
  '\u00a0',
  ' ',
  '\ufe0f',
  '\u{e0001}',
];
const name = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 8 })
  .map((pieces) => pieces.join(''));

it('a name is read back from what is shown of it, and from what a person types of it', () => {
  fc.assert(
    fc.property(name, (stored) => storedName(shownName(stored)) === stored),
    { numRuns: 20_000 },
  );
  expect(storedName('B-\u200b1 né C:\\temp')).toBe('B-\u200b1 né C:\\temp');
});

it('shows nothing that a person cannot see, and no space that a copy loses', () => {
  fc.assert(
    fc.property(name, (stored) => {
      expect(shownName(stored)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{DI}\u00a0\u2800]|^ | $| {2}/u);
    }),
    { numRuns: 5_000 },
  );
  expect(shownName("B-1 Ñ 漢 ' :/")).toBe("B-1 Ñ 漢 ' :/");
});

it('a shell passes on a shown name as it is', () => {
  const names = fc.sample(name, 300).map(shownName);
  const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${names.map(quoted).join(' ')}`], { encoding: 'utf8' });
  expect(printed).toBe(names.map((one) => `${one}\n`).join(''));
});
