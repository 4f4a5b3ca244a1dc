import { afterEach, expect, it, vi } from 'vitest';
import { coverEachValue, sampleOf, sampleSize } from './cases.js';
import { skippedLines } from './skipped-cases.js';

afterEach(() => vi.unstubAllEnvs());

it.each([
  { cases: undefined, whole: 25, size: 2 },
  { cases: undefined, whole: 1, size: 1 },
  { cases: 'all', whole: 25, size: 25 },
])('with TEST_CASES=$cases $size of $whole cases run, and the end of the run reports it', ({ cases, whole, size }) => {
  vi.stubEnv('TEST_CASES', cases);
  const told: unknown[] = [];
  expect(sampleSize('bets', whole, (...series) => void told.push(series))).toBe(size);
  expect(told).toEqual([['bets', size, whole]]);
});

it('a twentieth of a list is spread evenly over it', () => {
  const list = Array.from({ length: 25 }, (_, index) => index);
  vi.stubEnv('TEST_CASES', undefined);
  expect(sampleOf('bets', list, () => {})).toEqual([0, 13]);
  vi.stubEnv('TEST_CASES', 'all');
  expect(sampleOf('bets', list, () => {})).toEqual(list);
});

it('a sample has every value of both lists, in few rows', () => {
  const rows = ['a', 'b', 'c'].flatMap((letter) => [1, 2].map((number) => [letter, number] as const));
  const chosen = coverEachValue(rows);
  expect(new Set(chosen.map(([letter]) => letter))).toEqual(new Set(['a', 'b', 'c']));
  expect(new Set(chosen.map(([, number]) => number))).toEqual(new Set([1, 2]));
  expect(chosen).toHaveLength(3);
});

it('the end of a run names the files with omitted tests and every series once with its omitted cases, and is silent if none was omitted', () => {
  const note = (what: string, done: number, whole: number) => `${JSON.stringify({ what, done, whole })}\n`;
  const lines = skippedLines(note('bets', 100, 1_000) + note('files', 1, 4) + note('bets', 100, 1_000), [
    '  test/a.test.ts: 2 of 3 tests',
  ]);
  expect(lines).toEqual([
    'Left for npm run test:all:',
    '  test/a.test.ts: 2 of 3 tests',
    '  bets: 900 of 1,000 cases',
    '  files: 3 of 4 cases',
  ]);
  expect(skippedLines('')).toEqual([]);
});
