import { ENVIRONMENTS } from '../../../core/errors/errors.js';
import { SPANS } from '../../receipts/throughput.js';
import type { RowState } from '../../rules/state-machine.js';
import type { OpenCounts, ThroughputCount } from '../../store/operator-store.js';
import type { Counts } from '../../store/store.js';
import { HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { CLASS_COLUMNS, countsOf, THROUGHPUT_NUMBERS } from '../sql/statements.js';
import type { Connection } from './database.js';
import { QUEUED_ROWS, ROWS_AT_THE_HEAD, ROWS_BEHIND_THE_HEAD, said } from './schema.js';

/** The counters that are stored with every change. Rows in other states are counted by their index. */
type Counted = 'recorded' | 'dismissed' | 'attempts' | 'turns';

const isCounted = (state: RowState) => state === 'recorded' || state === 'dismissed';

const ADD =
  'INSERT INTO outbox_counts (account, name, number) VALUES (?, ?, ?) ON CONFLICT (account, name) DO UPDATE SET number = number + excluded.number';

/** The number of final rows and of attempts, stored with each change: counting all rows would block the process. */
export function createTally({ all, run }: Connection) {
  const changes = new Map<string, Map<Counted, number>>();
  const add = (account: string, name: Counted, by: number) => {
    const ofAccount = changes.get(account) ?? new Map<Counted, number>();
    changes.set(account, ofAccount.set(name, (ofAccount.get(name) ?? 0) + by));
  };

  return {
    attempts: (account: string, by: number): void => add(account, 'attempts', by),
    /** Counts a turn of any account. An older copy of the file has fewer turns. */
    turn: (): void => add('', 'turns', 1),
    move(account: string, from: RowState, to: RowState): void {
      if (isCounted(from)) add(account, from, -1);
      if (isCounted(to)) add(account, to, 1);
    },
    reset: (): void => changes.clear(),
    /** Called at the end of a transaction. */
    write(): void {
      for (const [account, ofAccount] of changes)
        for (const [name, by] of ofAccount) if (by !== 0) run(ADD, account, name, by);
      changes.clear();
    },
    read(accounts: readonly string[]) {
      const counted = all(`SELECT account, name, number FROM outbox_counts`).filter(({ account }) =>
        accounts.includes(String(account)),
      );
      const of = (wanted: Counted) =>
        counted.reduce((sum, { name, number }) => sum + (name === wanted ? Number(number) : 0), 0);
      return { recorded: of('recorded'), dismissed: of('dismissed'), attempts: of('attempts') };
    },
  };
}

export type Tally = ReturnType<typeof createTally>;

const NUMBER = 'count(*) AS number';
export const COUNT_QUEUED = `SELECT ${NUMBER} FROM ${QUEUED_ROWS}`;
/** It reads only rows that were tried, since the problem is not in the index. */
const COUNT_REFUSED = `${COUNT_QUEUED} AND due_at > ${HEAD_OF_THE_QUEUE} AND state = 'waiting' AND ${said('postponed')} = 1`;
export const COUNT_IN_FLIGHT = `SELECT ${NUMBER} FROM ${ROWS_BEHIND_THE_HEAD} AND state = 'in-flight'`;
export const COUNT_BLOCKED = `SELECT ${NUMBER} FROM outbox_rows INDEXED BY outbox_dependents
  WHERE waits_for >= ? AND waits_for < ? AND state = 'waiting' AND blocked = 1`;
const COUNT_QUARANTINED = `SELECT ${NUMBER} FROM outbox_rows INDEXED BY outbox_problems WHERE state = 'quarantined' AND account = ? AND environment = ?`;
export const OLDEST_AT_THE_HEAD = `SELECT enqueued_at FROM ${ROWS_AT_THE_HEAD} ORDER BY due_at, sequence LIMIT 1`;
export const OLDEST_BY_STATE = `SELECT enqueued_at FROM ${ROWS_BEHIND_THE_HEAD} AND state = ? ORDER BY sequence LIMIT 1`;

/** Counts the open rows of these accounts. It reads only indexes, and needs no binding: another tool may delete it. */
export function countOpen({ first }: Connection, accounts: readonly string[]): OpenCounts[] {
  const number = (sql: string, ...values: string[]) => Number(first(sql, ...values)?.number ?? 0);
  const places = accounts.flatMap((account) => ENVIRONMENTS.map((environment) => ({ account, environment })));
  return places.map(({ account, environment }) => {
    const inFlight = number(COUNT_IN_FLIGHT, account, environment);
    const oldest = [
      first(OLDEST_AT_THE_HEAD, account, environment),
      ...['waiting', 'in-flight'].map((state) => first(OLDEST_BY_STATE, account, environment, state)),
    ].flatMap((found) => (found ? Number(found.enqueued_at) : []));
    return {
      account,
      environment,
      waiting: number(COUNT_QUEUED, account, environment) - inFlight,
      refused: number(COUNT_REFUSED, account, environment),
      // An id begins with its account, its environment and a colon, and a semicolon is the next character.
      blocked: number(COUNT_BLOCKED, `${account}:${environment}:`, `${account}:${environment};`),
      inFlight,
      quarantined: number(COUNT_QUARANTINED, account, environment),
      oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
    };
  });
}

export const countRows = (connection: Connection, tally: Tally, accounts: readonly string[]): Counts =>
  countsOf(countOpen(connection, accounts), tally.read(accounts));

const ADD_THROUGHPUT = `INSERT INTO outbox_throughput (span, start, account, environment, ${THROUGHPUT_NUMBERS.join(', ')}) VALUES (?, ?, ?, ?, ${THROUGHPUT_NUMBERS.map(() => '?').join(', ')})
  ON CONFLICT (span, start, account, environment) DO UPDATE SET ${THROUGHPUT_NUMBERS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

/** Adds counts of recorded reports by time. Changes nothing and returns false if those before do not end at `from`. */
export function addThroughput(
  { first, run }: Connection,
  { from, to, counts }: { readonly from: number; readonly to: number; readonly counts: readonly ThroughputCount[] },
  now: number,
): boolean {
  if (Number(first(`SELECT reached FROM outbox_throughput_end`)?.reached ?? 0) !== from) return false;
  run(
    'INSERT INTO outbox_throughput_end (one, reached) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET reached = excluded.reached',
    to,
  );
  for (const { span, start, account, environment, recorded, dismissed, classes } of counts)
    run(
      ADD_THROUGHPUT,
      ...[
        span,
        start,
        account,
        environment,
        recorded,
        dismissed,
        ...CLASS_COLUMNS.map((_, place) => classes[place] ?? 0),
      ],
    );
  for (const span of ['minute', 'hour'] as const)
    run('DELETE FROM outbox_throughput WHERE span = ? AND start < ?', span, Math.trunc(now - SPANS[span].keptMs));
  return true;
}
