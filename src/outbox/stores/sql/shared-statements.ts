import { operationNames, operations } from '../../../core/protocol/operations.js';
import { THROUGHPUT_CLASSES } from '../../receipts/throughput.js';
import type { OutboxEnvironment } from '../../rules/destination.js';
import type { LogLine } from '../../rules/receipt-entry.js';
import { prunedSetting } from '../../rules/retention.js';
import type {
  FinalCounts,
  KeptDecision,
  OpenCounts,
  OperatorStore,
  ProblemKey,
  RowSearch,
  ThroughputCount,
} from '../../store/operator-store.js';
import type { Counts } from '../../store/store.js';
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

/** The columns of a pause: that of a destination, or the breaker of an operation. */
export const PAUSE = 'version, reason, message, since, strikes, until';

/** The ids of the rows that may wait for the row of a table: its settlement. */
export const idsAfter = (row: string): string =>
  operationNames
    .filter((name) => 'after' in operations[name])
    .map((name) => `${row}.account || ':' || ${row}.environment || ':${name}:' || ${row}.reference`)
    .join(', ');

/** The columns of a line of the receipt log. */
export const LINE = 'position, id, line';

export const lineOf = ({ position, id, line }: Found): LogLine => ({
  index: Number(position),
  id: String(id),
  line: String(line),
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

/** The tolerance of a search by time. A clock or a long transaction may put rows out of the order of their times. */
const SLACK_MS = 600_000;

const IN_GROUP = `q.state = 'quarantined' AND q.account = ? AND q.environment = ? AND q.problem_code = ?
  AND q.problem_words = ? AND q.changed_at <= ?#`;
const groupOf = ({ account, environment, code, words }: ProblemKey, asOf: number) =>
  [account, environment, code, words, Math.trunc(asOf)] as const;

/** The statements that both SQL stores share: those that no worker waits for. */
export function createSharedStatements({
  table,
  columns,
  all,
  first,
  change,
  bodiless,
  rowsTable,
  quarantinedTable,
  joinOfOperation,
  countOfSettlements,
  elements,
}: Dialect) {
  const decisions = `SELECT ${columns(DECISION)} FROM ${table('decisions')}`;
  const lines = `SELECT ${columns(LINE)} FROM ${table('receipts')}`;

  async function decision(id: string): Promise<KeptDecision | undefined> {
    const found = await first(`${decisions} WHERE id = ?`, id);
    return found && decisionOf(found);
  }

  /** The approximate lowest `sequence` of the rows that were enqueued at this time or later. It rises with time. */
  async function sequenceAt(time: number): Promise<number> {
    const newest = await first(`SELECT ${columns('max(sequence) AS last')} FROM ${rowsTable}`);
    let [low, high] = [1, Number(newest?.last ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = await first(
        `SELECT ${columns('enqueued_at')} FROM ${rowsTable} WHERE sequence >= ?# ORDER BY sequence LIMIT 1`,
        middle,
      );
      if (Number(next?.enqueued_at ?? Number.POSITIVE_INFINITY) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const setting = async (name: string) =>
    (await first(`SELECT ${columns('value')} FROM ${table('settings')} WHERE name = ?`, name))?.value;

  return {
    /** Stores a setting unless it exists. If it exists, nothing is written, since the user's transaction may be open. */
    async getOrCreateSetting(name: string, value: string): Promise<string> {
      const known = await setting(name);
      if (known !== undefined) return String(known);
      await change(
        `INSERT INTO ${table('settings')} (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING ${columns('name')}`,
        name,
        value,
      );
      // A separate statement, since the first one cannot see the commit of another instance in the meantime.
      const kept = await setting(name);
      if (kept === undefined) throw new Error('The setting that was just written cannot be read.');
      return String(kept);
    },
    /** The rows that a search looks at: from the `lowest` sequence to below `end`. */
    rangeOf: async ({ from, to, before }: RowSearch) => ({
      lowest: from === undefined ? 0 : await sequenceAt(from - SLACK_MS),
      end: to === undefined ? before : Math.min(before, await sequenceAt(to + SLACK_MS)),
    }),
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
      quarantined: ({ of, asOf, after, limit }) =>
        bodiless(
          `SELECT q.sequence FROM ${quarantinedTable} WHERE ${IN_GROUP} AND q.sequence > ?# ORDER BY q.sequence LIMIT ?#`,
          ...groupOf(of, asOf),
          after,
          limit,
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
    receipts: {
      read: async (from: number, limit: number) =>
        (await all(`${lines} WHERE position >= ?# ORDER BY position LIMIT ?#`, from, limit)).map(lineOf),
      async last(): Promise<LogLine | undefined> {
        const found = await first(`${lines} ORDER BY position DESC LIMIT 1`);
        return found && lineOf(found);
      },
    },
    /** The time up to which the account was pruned. */
    async prunedBefore(account: string): Promise<number | undefined> {
      const prefix = prunedSetting(account);
      const found = await first(
        `SELECT ${columns('max(CAST(value AS bigint)) AS before')} FROM ${table('settings')} WHERE substr(name, 1, length(?)) = ?`,
        prefix,
        prefix,
      );
      return typeof found?.before === 'number' ? found.before : undefined;
    },
  };
}

/** The rows that a search looks at. */
export type SearchRange = Awaited<ReturnType<ReturnType<typeof createSharedStatements>['rangeOf']>>;

/** The number of rows in each state: open ones by their places, and final ones. */
export function countsOf(
  places: readonly OpenCounts[],
  { recorded, dismissed, attempts }: FinalCounts & Pick<Counts, 'attempts'>,
): Counts {
  const sum = (name: 'waiting' | 'blocked' | 'inFlight' | 'quarantined') =>
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
    oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
    attempts,
  };
}
