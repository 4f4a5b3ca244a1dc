import { shownName } from '../core/platform/messages.js';
import { decisionsFor } from '../outbox/rules/decisions.js';
import type { Row } from '../outbox/rules/state-machine.js';
import type { ProblemCount } from '../outbox/store/operator-store.js';
import { isWithin, type Narrowing, type OperatorContext } from './context.js';
import { type ReportSummary, summaryOf } from './reports.js';

export interface Groups {
  /** At most 200 groups, the largest first. */
  readonly groups: readonly ProblemGroup[];
  readonly others: { readonly groups: number; readonly reports: number };
  /** Pass it to `decide` as `asOf`. */
  readonly now: number;
}

/** Quarantined reports with the same problem. Its times are those of the first and the last quarantine. */
export interface ProblemGroup extends Omit<ProblemCount, 'example'> {
  readonly status: number | null;
  readonly example: ReportSummary;
  /** The command that corrects its reports from a file. Null if its data was not refused. */
  readonly correction: string | null;
}

const correctionOf = ({ account, environment }: Row, command: string): string =>
  `${command} replace --from corrected.ndjson --account ${account} --environment ${environment} --dry-run --reason "…"`;

const MOST_GROUPS = 200;

export async function readGroups(context: OperatorContext, narrowing: Narrowing = {}): Promise<Groups> {
  const { operator: store } = context;
  const now = await store.now();
  const all = (await store.problemGroups())
    .filter((one) => isWithin(context, one, narrowing))
    .sort((a, b) => b.count - a.count || a.example - b.example);
  const shown = all.slice(0, MOST_GROUPS);
  const rows = await store.rows(shown.map(({ example }) => example));
  const examples = new Map(rows.map((row) => [row.sequence, row]));
  const groups = shown.flatMap(({ example, ...group }) => {
    const row = examples.get(example);
    // Without a row, the report was decided about after the count.
    if (!row) return [];
    const { words } = group;
    const correction = decisionsFor(row).replaced === undefined ? correctionOf(row, context.command) : null;
    return [
      { ...group, words: shownName(words), status: row.problem?.status ?? null, example: summaryOf(row), correction },
    ];
  });
  const others = all.slice(MOST_GROUPS);
  return {
    groups,
    others: { groups: others.length, reports: others.reduce((total, { count }) => total + count, 0) },
    now,
  };
}
