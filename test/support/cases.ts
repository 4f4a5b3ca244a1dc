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

/** The rows to run of a product of two lists: in a sample, so many that every value of both is in at least one of them. */
export function eachOnce<Row extends readonly [unknown, unknown]>(what: string, rows: readonly Row[]): readonly Row[] {
  const chosen = ALL ? rows : cover(rows);
  note(what, chosen.length, rows.length);
  return chosen;
}

/** First the rows whose values are both new, then those with one new value. */
export function cover<Row extends readonly [unknown, unknown]>(rows: readonly Row[]): readonly Row[] {
  const seen: readonly [Set<unknown>, Set<unknown>] = [new Set(), new Set()];
  const chosen = new Set<Row>();
  for (const wanted of [2, 1]) {
    for (const row of rows) {
      const added = Number(!seen[0].has(row[0])) + Number(!seen[1].has(row[1]));
      if (added < wanted) continue;
      chosen.add(row);
      seen[0].add(row[0]);
      seen[1].add(row[1]);
    }
  }
  return rows.filter((row) => chosen.has(row));
}
