import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { guides } from '../support/documents.js';
import { root } from '../support/run.js';

/**
 * Operators copy these lines, and a report can never be changed. So each place that calculates a settlement is run: only
 * a payout above the stake is a `WIN`, and nothing is won below it.
 */

const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .map((name) => `examples/${name.replaceAll('\\', '/')}`)
  .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !name.includes('node_modules'))
  .sort();

const FIELDS = {
  outcome: /\boutcome(?::| =) ([^\n]* \? 'WIN' : '\w+')/g,
  win_amount: /\bwin_amount: (Math\.max\([^)]*\)|[^,\n]+)/g,
  payout_amount: /\bpayout_amount: ([^,}\n]+)/g,
  ggr: /\bggr: ([^,}\n]+)/g,
};

const rightFor = (stake: number, payout: number) => ({
  outcome: payout > stake ? 'WIN' : 'LOSS',
  win_amount: Math.max(0, payout - stake),
  payout_amount: payout,
  ggr: stake - payout,
});

const calculated = ['README.md', ...guides, ...examples]
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  .filter(({ text }) => /\? 'WIN'|\bggr: [a-z]/.test(text));

describe.each(calculated)('$file', ({ text }) => {
  // nothing · less than the stake · the stake · more
  test.each([0, 750, 1_500, 3_675])('settles a stake of 1500 with a payout of %d', (payout) => {
    const right = rightFor(1_500, payout);
    for (const [field, pattern] of Object.entries(FIELDS)) {
      const written = [...text.matchAll(pattern)].map(([, expression = '']) => expression);
      expect(written.length, field).toBeGreaterThan(0);
      for (const expression of written)
        expect([expression, runInNewContext(expression, { payout, stake: 1_500, amount: 1_500 })]).toEqual([
          expression,
          right[field as keyof typeof right],
        ]);
    }
  });
});

test('all of them are found, and no other place decides by a rule of its own', () => {
  expect(calculated.map(({ file }) => file)).toEqual([
    'docs/start/backend-with-postgresql.md',
    'examples/backend.js',
    'examples/express-typescript/src/bets.ts',
    'examples/postgres/bets.js',
    'examples/two-processes/bets.js',
    'examples/web/reports.js',
  ]);
});
