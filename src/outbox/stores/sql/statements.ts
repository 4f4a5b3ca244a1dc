import { operationNames, operations } from '../../../core/protocol/operations.js';
import { THROUGHPUT_CLASSES } from '../../receipts/throughput.js';
import type { LogLine } from '../../rules/receipt-entry.js';
import { prunedSetting } from '../../rules/retention.js';
import type {
  FinalCounts,
  GroupTally,
  KeptDecision,
  OpenCounts,
  OperatorStore,
  ProblemCount,
  ProblemKey,
  RowSearch,
  ThroughputCount,
} from '../../store/operator-store.js';
import type { Counts } from '../../store/store.js';
import type { Dialect } from './dialect.js';

/** The ids of the rows that may wait for the row `r`: its settlement. */
export const IDS_AFTER = operationNames
  .filter((name) => 'after' in operations[name])
  .map((name) => `r.account || ':' || r.environment || ':${name}:' || r.reference`)
  .join(', ');

/** The columns of a decision, with the names of its members. */
export const DECISION =
  'id, action, who, reason, about, at, cursor, touched, skipped, done, place AS number, as_of AS "asOf", undone_by AS "undoneBy"';

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
export const THROUGHPUT_NUMBERS: readonly string[] = ['recorded', 'dismissed', ...CLASS_COLUMNS];

interface TalliedOperation extends Omit<GroupTally, 'operations'> {
  readonly operation: string;
}

const IN_GROUP = `q.state = 'quarantined' AND q.account = ? AND q.environment = ? AND q.problem_code = ?
  AND q.problem_words = ? AND q.changed_at <= ?#`;
const groupOf = ({ account, environment, code, words }: ProblemKey, asOf: number) =>
  [account, environment, code, words, Math.trunc(asOf)] as const;

/** The columns of a line of the receipt log, with the names of its members. */
export const LINE = 'position AS "index", id, line';

/** The statements that both SQL stores share: those that no worker waits for. */
export function createSharedStatements(dialect: Dialect) {
  const { all, first, change } = dialect;
  const lines = `SELECT ${LINE} FROM schema.receipts`;

  const setting = async (name: string) =>
    (await first(`SELECT value FROM schema.settings WHERE name = ?`, name))?.value;

  return {
    ...createOperatorStatements(dialect),
    readSearchRange: (search: RowSearch) => readSearchRange(dialect, search),
    /** Stores a setting unless it exists. If it exists, nothing is written, since the user's transaction may be open. */
    async getOrCreateSetting(name: string, value: string): Promise<string> {
      const known = await setting(name);
      if (known !== undefined) return String(known);
      await change(
        `INSERT INTO schema.settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING name`,
        name,
        value,
      );
      // A separate statement, since the first one cannot see the commit of another instance in the meantime.
      const kept = await setting(name);
      if (kept === undefined) throw new Error('The setting that was just written cannot be read.');
      return String(kept);
    },
    receipts: {
      read: (from: number, limit: number) =>
        all<LogLine>(`${lines} WHERE position >= ?# ORDER BY position LIMIT ?#`, from, limit),
      last: () => first<LogLine>(`${lines} ORDER BY position DESC LIMIT 1`),
    },
    async prunedBefore(account: string): Promise<number | undefined> {
      const prefix = prunedSetting(account);
      const found = await first(
        `SELECT max(CAST(value AS bigint)) AS before FROM schema.settings WHERE substr(name, 1, length(?)) = ?`,
        prefix,
        prefix,
      );
      return typeof found?.before === 'number' ? found.before : undefined;
    },
  };
}

export function countsOf(
  places: readonly OpenCounts[],
  { recorded, dismissed, attempts = 0 }: FinalCounts & Partial<Pick<Counts, 'attempts'>>,
): Counts {
  const sum = (name: 'waiting' | 'refused' | 'blocked' | 'inFlight' | 'quarantined') =>
    places.reduce((total, place) => total + place[name], 0);
  const oldest = places.flatMap(({ oldestOpenAt }) => oldestOpenAt ?? []);
  return {
    states: {
      waiting: sum('waiting'),
      blocked: sum('blocked'),
      'in-flight': sum('inFlight'),
      recorded,
      quarantined: sum('quarantined'),
      dismissed,
    },
    refused: sum('refused'),
    oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
    attempts,
  };
}

function createOperatorStatements(dialect: Dialect) {
  const { all, first, bodiless, quarantinedTable, joinOfOperation, countOfSettlements, elements } = dialect;
  const decisions = `SELECT ${DECISION} FROM schema.decisions`;

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
          `SELECT account, environment, problem_code AS code, problem_words AS words, count(*) AS count,
            min(changed_at) AS "firstAt", max(changed_at) AS "lastAt", min(sequence) AS example
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
          `SELECT operation, count(*) AS count, count(*) FILTER (WHERE q.in_doubt) AS "inDoubt",
            ${withSettlements ? `sum(${countOfSettlements})` : '0'} AS settlements
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
          `SELECT began, CAST(sequences AS text) AS sequences FROM schema.decision_steps
            WHERE decision = ? AND began > ?# ORDER BY began LIMIT 1`,
          id,
          after,
        );
        return found && { from: found.began, sequences: JSON.parse(found.sequences) as number[] };
      },
      throughputEnd: async () => Number((await first(`SELECT reached FROM schema.throughput_end`))?.reached ?? 0),
      ended: () =>
        all(
          `SELECT account, environment, sum(recorded) AS recorded, sum(dismissed) AS dismissed
            FROM schema.throughput WHERE span = 'day' GROUP BY account, environment`,
        ),
      throughput: async (span: ThroughputCount['span'], since: number) =>
        (
          await all<Omit<ThroughputCount, 'span' | 'classes'> & Readonly<Record<`c${number}`, number>>>(
            `SELECT start, account, environment, recorded, dismissed, ${CLASS_COLUMNS.join(', ')}
              FROM schema.throughput WHERE span = ? AND start >= ?#`,
            span,
            Math.trunc(since),
          )
        ).map(({ start, account, environment, recorded, dismissed, ...counts }) => ({
          ...{ span, start, account, environment, recorded, dismissed },
          classes: CLASS_COLUMNS.map((name) => counts[name] ?? 0),
        })),
    } satisfies Partial<OperatorStore>,
  };
}

/** The rows that a search looks at: from the `lowest` sequence to below `end`. */
export interface SearchRange {
  readonly lowest: number;
  readonly end: number;
}

/** The tolerance of a search by time. A clock or a long transaction may put rows out of the order of their times. */
const SLACK_MS = 600_000;

/** The approximate lowest `sequence` of the rows that were enqueued at this time or later. It rises with time. */
async function sequenceAt({ first, rowsTable }: Dialect, time: number): Promise<number> {
  const newest = await first(`SELECT max(sequence) AS last FROM ${rowsTable}`);
  let [low, high] = [1, Number(newest?.last ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await first(
      `SELECT enqueued_at FROM ${rowsTable} WHERE sequence >= ?# ORDER BY sequence LIMIT 1`,
      middle,
    );
    if (Number(next?.enqueued_at ?? Number.POSITIVE_INFINITY) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const readSearchRange = async (dialect: Dialect, { from, to, before }: RowSearch): Promise<SearchRange> => ({
  lowest: from === undefined ? 0 : await sequenceAt(dialect, from - SLACK_MS),
  end: to === undefined ? before : Math.min(before, await sequenceAt(dialect, to + SLACK_MS)),
});
