import { appendFileSync } from 'node:fs';
import { inject } from 'vitest';
import { SKIPPED_FILE } from './skipped-cases.js';

/**
 * `npm test` runs a sample of the longest series of cases; with `TEST_CASES=all`, as in `npm run test:all`, all of them
 * run.
 */
const runsAll = () => process.env.TEST_CASES === 'all';

/** Reports the omitted cases of a sample at the end of the run. */
function note(what: string, done: number, whole: number): void {
  if (done < whole)
    appendFileSync(`${inject('runFolder')}/${SKIPPED_FILE}`, `${JSON.stringify({ what, done, whole })}\n`);
}

/** The number of cases to run: a twentieth of the whole, rounded up. */
export function sampleSize(what: string, whole: number, tell = note): number {
  const count = runsAll() ? whole : Math.ceil(whole / 20);
  tell(what, count, whole);
  return count;
}

/** The entries of a list to run: a twentieth of it, evenly spread. */
export function sampleOf<Case>(what: string, all: readonly Case[], tell = note): readonly Case[] {
  const size = sampleSize(what, all.length, tell);
  return all.filter((_, index) => (index * size) % all.length < size);
}

/** The rows to run of a product of two lists. A sample has every value of both lists at least once. */
export function sampleRows<Row extends readonly [unknown, unknown]>(
  what: string,
  rows: readonly Row[],
): readonly Row[] {
  const chosen = runsAll() ? rows : coverEachValue(rows);
  note(what, chosen.length, rows.length);
  return chosen;
}

/** First the rows whose values are both new, then those with one new value. */
export function coverEachValue<Row extends readonly [unknown, unknown]>(rows: readonly Row[]): readonly Row[] {
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
