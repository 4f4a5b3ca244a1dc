import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';
import { LEFT_FILE } from './whole-run.js';

/** `npm test` runs a sample of the longest series of cases; with `TEST_CASES=all`, as in `.ci/run`, it runs all of them. */
const ALL = process.env.TEST_CASES === 'all';

/** Tells the end of the run what a sample leaves out. */
function note(what: string, done: number, whole: number): void {
  if (done < whole) appendFileSync(`${inject('folder')}/${LEFT_FILE}`, `${JSON.stringify({ what, done, whole })}\n`);
}

/** How many cases to run: a tenth of the whole, rounded up. */
export function casesOf(what: string, whole: number): number {
  const count = ALL ? whole : Math.ceil(whole / 10);
  note(what, count, whole);
  return count;
}

/** The rows to run of a product of lists: so many that every two values of different lists meet in at least one of them. */
export function pairwise<Row extends readonly unknown[]>(what: string, rows: readonly Row[]): readonly Row[] {
  const chosen = ALL ? rows : coverPairs(rows);
  note(what, chosen.length, rows.length);
  return chosen;
}

/** Takes the row that adds the most new pairs, until none is left to add. */
function coverPairs<Row extends readonly unknown[]>(rows: readonly Row[]): readonly Row[] {
  const pairsOf = (row: Row) =>
    row.flatMap((first, at) => row.slice(at + 1).map((second, after) => JSON.stringify([at, first, at + 1 + after, second])));
  const missing = new Set(rows.flatMap(pairsOf));
  const chosen = new Set<Row>();
  const gain = (row: Row) => pairsOf(row).filter((pair) => missing.has(pair)).length;
  while (missing.size > 0) {
    const best = rows.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    chosen.add(best);
    for (const pair of pairsOf(best)) missing.delete(pair);
  }
  return rows.filter((row) => chosen.has(row));
}
