import { THROUGHPUT_CLASSES } from '../../receipts/throughput.js';
import type { OutboxEnvironment } from '../../rules/destination.js';
import type { KeptDecision, OperatorStore, ProblemKey, ThroughputCount } from '../../store/operator-store.js';
import type { Dialect, Found } from './dialect.js';

export const DECISION =
  'place, id, action, who, reason, about, as_of, at, cursor, touched, skipped, done, undone_by' as const;

export const decisionOf = (found: Found): KeptDecision => ({
  id: String(found.id),
  action: String(found.action),
  who: String(found.who),
  reason: String(found.reason),
  about: String(found.about),
  asOf: Number(found.as_of),
  at: Number(found.at),
  number: Number(found.place),
  cursor: Number(found.cursor),
  touched: Number(found.touched),
  skipped: Number(found.skipped),
  done: Number(found.done) === 1,
  undoneBy: found.undone_by === null ? undefined : String(found.undone_by),
});

export const CLASS_COLUMNS: readonly string[] = [...THROUGHPUT_CLASSES, 0].map((_, place) => `c${place}`);
/** The columns of the counts of recorded reports. */
export const THROUGHPUT_NUMBERS: readonly string[] = ['recorded', 'dismissed', 'sum_ms', ...CLASS_COLUMNS];

const placeOf = ({ account, environment, recorded, dismissed }: Found) => ({
  account: String(account),
  environment: String(environment) as OutboxEnvironment,
  recorded: Number(recorded),
  dismissed: Number(dismissed),
});

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
  const decisions = `SELECT ${columns(DECISION)} FROM ${table('decisions')}`;

  async function decision(id: string): Promise<KeptDecision | undefined> {
    const found = await first(`${decisions} WHERE id = ?`, id);
    return found && decisionOf(found);
  }

  return {
    async begun(id: string): Promise<KeptDecision> {
      const kept = await decision(id);
      if (!kept) throw new Error('The decision that was just written cannot be read.');
      return kept;
    },
    operator: {
      problemGroups: async () =>
        (
          await all(
            `SELECT ${columns('account, environment, problem_code, problem_words', 'count(*) AS number', 'min(changed_at) AS first_at', 'max(changed_at) AS last_at', 'min(sequence) AS example')}
              FROM ${quarantinedTable} WHERE q.state = 'quarantined' GROUP BY account, environment, problem_code, problem_words`,
          )
        ).map((found) => ({
          account: String(found.account),
          environment: String(found.environment) as OutboxEnvironment,
          code: String(found.problem_code),
          words: String(found.problem_words),
          count: Number(found.number),
          firstAt: Number(found.first_at),
          lastAt: Number(found.last_at),
          example: Number(found.example),
        })),
      quarantined: ({ of, asOf, after, skip = 0, limit }) =>
        bodiless(
          `SELECT q.sequence FROM ${quarantinedTable} WHERE ${IN_GROUP} AND q.sequence > ?# ORDER BY q.sequence LIMIT ?# OFFSET ?#`,
          ...groupOf(of, asOf),
          after,
          limit,
          skip,
        ),
      async tally(of, asOf, withSettlements, onlyInDoubt = false) {
        const found = await all(
          `SELECT ${columns('operation', 'count(*) AS number', 'count(*) FILTER (WHERE q.in_doubt) AS in_doubt', `${withSettlements ? `sum(${countOfSettlements})` : '0'} AS settlements`)}
            FROM ${quarantinedTable}${joinOfOperation} WHERE ${IN_GROUP}${onlyInDoubt ? ' AND q.in_doubt' : ''} GROUP BY operation`,
          ...groupOf(of, asOf),
        );
        const sum = (name: string) => found.reduce((total, one) => total + Number(one[name]), 0);
        return {
          count: sum('number'),
          inDoubt: sum('in_doubt'),
          settlements: sum('settlements'),
          operations: Object.fromEntries(found.map((one) => [String(one.operation), Number(one.number)])),
        };
      },
      rows: (sequences) =>
        bodiless(`SELECT CAST(value AS bigint) AS sequence FROM ${elements}`, JSON.stringify(sequences)),
      decision,
      decisions: async (before: number | undefined, limit: number) =>
        (
          await all(
            `${decisions} WHERE place < ?# ORDER BY place DESC LIMIT ?#`,
            before ?? Number.MAX_SAFE_INTEGER,
            limit,
          )
        ).map(decisionOf),
      async touched(id: string, after: number) {
        const found = await first(
          `SELECT ${columns('began', 'CAST(sequences AS text) AS sequences')} FROM ${table('decision_steps')}
            WHERE decision = ? AND began > ?# ORDER BY began LIMIT 1`,
          id,
          after,
        );
        return found && { from: Number(found.began), sequences: JSON.parse(String(found.sequences)) as number[] };
      },
      throughputEnd: async () =>
        Number((await first(`SELECT ${columns('reached')} FROM ${table('throughput_end')}`))?.reached ?? 0),
      ended: async () =>
        (
          await all(
            `SELECT ${columns('account, environment', 'sum(recorded) AS recorded', 'sum(dismissed) AS dismissed')}
              FROM ${table('throughput')} WHERE span = 'day' GROUP BY account, environment`,
          )
        ).map(placeOf),
      throughput: async (span: ThroughputCount['span'], since: number) =>
        (
          await all(
            `SELECT ${columns(`start, account, environment, ${THROUGHPUT_NUMBERS.join()}`)}
              FROM ${table('throughput')} WHERE span = ? AND start >= ?#`,
            span,
            Math.trunc(since),
          )
        ).map((found) => ({
          span,
          start: Number(found.start),
          ...placeOf(found),
          sumMs: Number(found.sum_ms),
          classes: CLASS_COLUMNS.map((name) => Number(found[name])),
        })),
    } satisfies Partial<OperatorStore>,
  };
}
