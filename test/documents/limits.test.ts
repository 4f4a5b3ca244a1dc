import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { optionTable } from '../../src/core/client/option-table.js';
import { isShownWord } from '../../src/core/redact/vocabulary.js';
import { readGuides } from '../support/documents.js';
import { root } from '../support/run.js';

const [, limits = ''] = readGuides('reference/options').split('## The longest call\n');
const { location, retry } = optionTable;

const seconds = (milliseconds: number) => `${milliseconds / 1_000} s`;

test('the sentence about the longest call has the default of timeoutMs', () => {
  const [, said] = /A call of the client takes (\d+ s) at most/.exec(limits) ?? [];
  expect(said).toBe(seconds(optionTable.timeoutMs.standard));
});

/** The row of a table that begins with these words and ends with this time. */
const endsWith = (words: string, milliseconds: number) =>
  new RegExp(`^\\| ${words}[^\\n]* ${seconds(milliseconds).replace('.', '\\.')} \\|$`, 'm');

test('the parts of the longest call add up', () => {
  const { standard: attempt } = optionTable.attemptTimeoutMs;
  const { standard: base } = retry.baseMs;
  const sending = 3 * attempt + base + 2 * base;
  expect(retry.limit.standard).toBe(2);
  expect(limits).toMatch(endsWith('in a page', location.timeoutMs.standard + sending));
  expect(limits).toMatch(endsWith('in a backend', 3 * location.ip.timeoutMs.standard + sending));
  expect(limits).toMatch(endsWith('with a `location` that you pass', sending));
});

test('the guide asks for the undici that the package asks for', () => {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, least] = /npm install undici@7 +# (\d+\.\d+) or newer/.exec(readGuides('how-to/deploy')) ?? [];
  expect(peerDependencies.undici).toBe(`>=${least}.0`);
});

test('some 900 words of a gateway are shown, as the guide to security says', () => {
  const source = readFileSync(join(root, 'src/core/redact/vocabulary.ts'), 'utf8');
  const list = [...source.matchAll(/const (?:WORDS|RULES) = `([^`]*)`/g)].flatMap(([, words = '']) =>
    words.trim().split(/\s+/),
  );
  expect(list.every(isShownWord)).toBe(true);
  const [, said] =
    /a list of some (\d+) words/.exec(readFileSync(join(root, 'docs/background/security.md'), 'utf8')) ?? [];
  expect(Math.round(new Set(list).size / 100) * 100).toBe(Number(said));
});
