import { THROUGHPUT_CLASSES } from '../../receipts/throughput.js';
import type {
  GroupTally,
  KeptDecision,
  OperatorStore,
  ProblemCount,
  ProblemKey,
  ThroughputCount,
} from '../../store/operator-store.js';
import type { Dialect } from './dialect.js';

/** The columns of a decision, with the names of its members. */
export const DECISION: readonly string[] = [
  'id, action, who, reason, about, at, cursor, touched, skipped, done',
  'place AS number',
  'as_of AS asOf',
  'undone_by AS undoneBy',
];

export interface FoundDecision extends Omit<KeptDecision, 'done' | 'undoneBy'> {
  readonly done: boolean | 0 | 1;
  readonly undoneBy: string | null;
}

export const decisionOf = ({ done, undoneBy, ...kept }: FoundDecision): KeptDecision => ({
  ...kept,
  done: Boolean(done),
  undoneBy: undoneBy ?? undefined,
});

export const CLASS_COLUMNS = [...THROUGHPUT_CLASSES, 0].map((_, place) => `c${place}` as const);
export const THROUGHPUT_NUMBERS: readonly string[] = ['recorded', 'dismissed', 'sum_ms', ...CLASS_COLUMNS];

/** The quarantined rows of one operation. */
interface TalliedOperation extends Omit<GroupTally, 'operations'> {
  readonly operation: string;
}

const IN_GROUP = `q.state = 'quarantined' AND q.account = ? AND q.environment = ? AND q.problem_code = ?
  AND q.problem_words = ? AND q.changed_at <= ?#`;
const groupOf = ({ account, environment, code, words }: ProblemKey, asOf: number) =>
  [account, environment, code, words, Math.trunc(asOf)] as const;

/** The statements of what a person reads, which both SQL stores share. */
export function createOperatorStatements({
  table,
  columns,
  all,
  first,
  bodiless,
  quarantinedTable,
  joinOfOperation,
  countOfSettlements,
  elements,
}: Dialect) {
  const decisions = `SELECT ${columns(...DECISION)} FROM ${table('decisions')}`;

  async function decision(id: string): Promise<KeptDecision | undefined> {
    const found = await first<FoundDecision>(`${decisions} WHERE id = ?`, id);
    return found && decisionOf(found);
  }

  return {
    async begun(id: string): Promise<KeptDecision> {
      const kept = await decision(id);
      if (!kept) throw new Error('The decision that was just written cannot be read.');
      return kept;
    },
    operator: {
      problemGroups: () =>
        all<ProblemCount>(
          `SELECT ${columns('account, environment', 'problem_code AS code', 'problem_words AS words', 'count(*) AS count', 'min(changed_at) AS firstAt', 'max(changed_at) AS lastAt', 'min(sequence) AS example')}
            FROM ${quarantinedTable} WHERE q.state = 'quarantined' GROUP BY account, environment, problem_code, problem_words`,
        ),
      quarantined: ({ of, asOf, after, skip = 0, limit }) =>
        bodiless(
          `SELECT q.sequence FROM ${quarantinedTable} WHERE ${IN_GROUP} AND q.sequence > ?# ORDER BY q.sequence LIMIT ?# OFFSET ?#`,
          ...groupOf(of, asOf),
          after,
          limit,
          skip,
        ),
      async tally(of, asOf, withSettlements, onlyInDoubt = false) {
        const found = await all<TalliedOperation>(
          `SELECT ${columns('operation', 'count(*) AS count', 'count(*) FILTER (WHERE q.in_doubt) AS inDoubt', `${withSettlements ? `sum(${countOfSettlements})` : '0'} AS settlements`)}
            FROM ${quarantinedTable}${joinOfOperation} WHERE ${IN_GROUP}${onlyInDoubt ? ' AND q.in_doubt' : ''} GROUP BY operation`,
          ...groupOf(of, asOf),
        );
        const sum = (name: 'count' | 'inDoubt' | 'settlements') => found.reduce((total, one) => total + one[name], 0);
        return {
          count: sum('count'),
          inDoubt: sum('inDoubt'),
          settlements: sum('settlements'),
          operations: Object.fromEntries(found.map(({ operation, count }) => [operation, count])),
        };
      },
      rows: (sequences) =>
        bodiless(`SELECT CAST(value AS bigint) AS sequence FROM ${elements}`, JSON.stringify(sequences)),
      decision,
      decisions: async (before: number | undefined, limit: number) =>
        (
          await all<FoundDecision>(
            `${decisions} WHERE place < ?# ORDER BY place DESC LIMIT ?#`,
            before ?? Number.MAX_SAFE_INTEGER,
            limit,
          )
        ).map(decisionOf),
      async touched(id: string, after: number) {
        const found = await first<{ readonly began: number; readonly sequences: string }>(
          `SELECT ${columns('began', 'CAST(sequences AS text) AS sequences')} FROM ${table('decision_steps')}
            WHERE decision = ? AND began > ?# ORDER BY began LIMIT 1`,
          id,
          after,
        );
        return found && { from: found.began, sequences: JSON.parse(found.sequences) as number[] };
      },
      throughputEnd: async () =>
        Number((await first(`SELECT ${columns('reached')} FROM ${table('throughput_end')}`))?.reached ?? 0),
      ended: () =>
        all(
          `SELECT ${columns('account, environment', 'sum(recorded) AS recorded', 'sum(dismissed) AS dismissed')}
            FROM ${table('throughput')} WHERE span = 'day' GROUP BY account, environment`,
        ),
      throughput: async (span: ThroughputCount['span'], since: number) =>
        (
          await all<Omit<ThroughputCount, 'span' | 'classes'> & Readonly<Record<`c${number}`, number>>>(
            `SELECT ${columns('start, account, environment, recorded, dismissed', 'sum_ms AS sumMs', ...CLASS_COLUMNS)}
              FROM ${table('throughput')} WHERE span = ? AND start >= ?#`,
            span,
            Math.trunc(since),
          )
        ).map(({ start, account, environment, recorded, dismissed, sumMs, ...counts }) => ({
          ...{ span, start, account, environment, recorded, dismissed, sumMs },
          classes: CLASS_COLUMNS.map((name) => counts[name] ?? 0),
        })),
    } satisfies Partial<OperatorStore>,
  };
}
