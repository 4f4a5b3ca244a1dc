import { printable } from '../../platform/printable.js';
import type { WrongCount } from '../console-store.js';
import type { Groups, Narrowing } from './data.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';
import { summaryOf } from './shown-report.js';

const MOST_GROUPS = 200;

/** Reads the groups of the quarantined reports. */
export async function readGroups(parts: ConsoleParts, { account, environment }: Narrowing): Promise<Groups> {
  const console = consoleOf(parts, 'group reports');
  const now = await console.now();
  const fits = (one: WrongCount) =>
    isShown(parts, one.account) && (account ?? one.account) === one.account && (environment ?? one.environment) === one.environment;
  const all = (await console.wrong()).filter(fits).sort((a, b) => b.count - a.count || a.example - b.example);
  const examples = new Map((await console.rows(all.slice(0, MOST_GROUPS).map(({ example }) => example))).map((row) => [row.sequence, row]));
  const groups = all.slice(0, MOST_GROUPS).flatMap(({ example, account, environment, code, words, count, firstAt, lastAt }) => {
    const row = examples.get(example);
    // The report was decided about after the count.
    if (!row) return [];
    return [{ account, environment, code, words: printable(words), count, firstAt, lastAt, status: row.problem?.status ?? null, example: summaryOf(row) }];
  });
  const others = all.slice(MOST_GROUPS);
  return { groups, others: { groups: others.length, reports: others.reduce((total, { count }) => total + count, 0) }, now };
}
