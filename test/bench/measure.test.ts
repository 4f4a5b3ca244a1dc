import { expect, it, vi } from 'vitest';
import { compare, compareAnew, ratios } from '../../bench/measure.js';
import { ask, heldAfter, type Judged, judge, placesOf, promises } from '../../bench/promises.js';
import { exitCodeOf } from '../../bench/statistics.js';

/** A contender whose turns take these milliseconds. */
const lane = (key: string, took: (turn: number) => number, seen: string[] = []) => {
  let turns = 0;
  const turn = async () => {
    turns += 1;
    seen.push(key);
    return { times: 100, took: took(turns), processor: took(turns) / 2 };
  };
  return { key, name: key, turn };
};

it('every second round runs the contenders in the opposite order, and all have the same number of rounds', async () => {
  const seen: string[] = [];
  const results = await compare([lane('a', () => 10, seen), lane('b', () => 20, seen)], {
    neededAfter: () => new Set(),
  });
  expect(seen.join('')).toBe('abbaabbaabba');
  expect(results.map(({ rates }) => rates.length)).toEqual([6, 6]);
});

it('a slow machine changes both contenders of a round, and so not the ratio', async () => {
  const slowed = (turn: number) => (turn % 3 === 0 ? 50 : 1);
  const lanes = [lane('a', (turn) => 10 * slowed(turn)), lane('b', (turn) => 20 * slowed(turn))];
  const results = await compare(lanes, { neededAfter: () => new Set() });
  expect(ratios(results, 'a', 'b').clock).toEqual([2, 2, 2, 2, 2, 2]);
});

it.each([
  ['end once the answer is certain, though the interval is wide', 0.9, 6],
  ['go on while the interval contains the limit', 1, 15],
])('rounds %s', async (_, atLeast, rounds) => {
  const lanes = [lane('a', (turn) => 10 + (turn % 2) / 2), lane('b', () => 10.2)];
  const { neededAfter } = ask([{ what: 'a', atLeast }, 'a', 'b']);
  const results = await compare(lanes, {
    // The budget counts from the start of the process.
    until: Number.POSITIVE_INFINITY,
    neededAfter: (found) => (found[0]?.rates.length === 15 ? new Set() : neededAfter(found)),
  });
  expect(results[0]?.rates.length).toBe(rounds);
});

it('a contender leaves once the questions that name it are answered, and keeps its rounds', async () => {
  const lanes = ['a', 'b', 'c', 'd'].map((key) => lane(key, (turn) => (key === 'b' && turn % 2 ? 20 : 10)));
  const { neededAfter } = ask(
    [{ what: 'open', atLeast: 1 }, 'a', 'b'],
    [{ what: 'clear', atLeast: 0.9 }, 'a', 'c', 'd'],
  );
  const results = await compare(lanes, {
    until: Number.POSITIVE_INFINITY,
    neededAfter: (found) => (found[0]?.rates.length === 8 ? new Set() : neededAfter(found)),
  });
  expect(results.map(({ rates }) => rates.length)).toEqual([8, 8, 6, 6]);
  expect(ratios(results, 'a', 'c').clock).toEqual([1, 1, 1, 1, 1, 1]);
  expect(ratios(results, 'c', 'b').clock).toEqual([2, 1, 2, 1, 2, 1]);
});

it('each round of new processes has the median of their turns, and every second one starts them in the opposite order', async () => {
  const seen: string[] = [];
  const starter = (key: string, took: (turn: number) => number) => ({
    key,
    async start() {
      seen.push(`+${key}`);
      return { ...lane(key, took, seen), stop: async () => void seen.push(`-${key}`) };
    },
  });
  const slowOnce = (turn: number) => (turn === 2 ? 99 : 10);
  const results = await compareAnew([starter('a', slowOnce), starter('b', () => 20)], {
    turns: 3,
    neededAfter: () => new Set(),
    least: 2,
  });
  expect(seen.join('')).toBe('+a+babbaab-a-b+b+abaabba-b-a');
  expect(ratios(results, 'a', 'b').clock).toEqual([2, 2]);
});

it('a promise of a ratio of times compares times, and its bound stands beside it', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const results = await compare([lane('own', () => 12), lane('row', () => 10), lane('bare', () => 11)], {
    neededAfter: () => new Set(),
  });
  ask([promises.prepared, 'own', 'row', 'bare'], [promises.ky, 'own', 'row']).answer(results);
  expect(log.mock.calls.join('\n')).toMatch(
    /at most 1\.25 × · 1\.20 × .* · 1\.10 × · kept[\s\S]*at least 0\.90 × · 0\.83 × .* · broken/,
  );
  vi.restoreAllMocks();
});

it('processor time decides where the promise says so', () => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(judge(promises.start, [2], { processor: [0.5] })?.verdict).toBe('kept');
  expect(judge(promises.prepared, [2], { processor: [0.5] })?.verdict).toBe('broken');
  vi.restoreAllMocks();
});

it('the exit code tells kept, broken and undecided apart', () => {
  expect(exitCodeOf([])).toBe(0);
  expect(exitCodeOf(['kept', 'kept'])).toBe(0);
  expect(exitCodeOf(['kept', 'undecided'])).toBe(2);
  expect(exitCodeOf(['undecided', 'broken', 'kept'])).toBe(1);
});

it('a promise that held on one processor is marked as that machine alone, until it holds on a second one', () => {
  const judged = (verdict: Judged['verdict']): Judged => ({
    promised: promises.drain,
    clock: { middle: 1, low: 1, high: 1 },
    verdict,
  });
  const one = heldAfter({}, [judged('kept'), judged('kept')], 'Zen 5');
  expect(placesOf(promises.drain, one)).toBe('Zen 5 alone');
  const two = heldAfter(one, [judged('kept')], 'Xeon');
  expect(placesOf(promises.drain, two)).toBe('Xeon, Zen 5');
  // It is undecided on one Node.js.
  const less = heldAfter(two, [judged('kept'), judged('undecided')], 'Zen 5');
  expect(placesOf(promises.drain, less)).toBe('Xeon alone');
  // Another limit is another promise.
  expect(placesOf({ ...promises.drain, atLeast: 0.9 }, two)).toBe('');
});
