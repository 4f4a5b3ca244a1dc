import type { RowState } from '../../state-machine.js';
import type { Counts } from '../../store.js';
import { isCount, isTime } from '../../stored-row.js';
import { type Connection, columns } from './database.js';
import { OPEN, QUEUED } from './schema.js';

/** The counters that are stored with every change. Other states are counted by their index. */
type Counted = 'recorded' | 'quarantined' | 'dismissed' | 'attempts' | 'turns';

const COUNTED: readonly string[] = ['recorded', 'quarantined', 'dismissed'] satisfies readonly (Counted & RowState)[];

const ADD = 'INSERT INTO outbox_counts (account, name, number) VALUES (?, ?, ?) ON CONFLICT (account, name) DO UPDATE SET number = number + excluded.number';
export const COUNT_OPEN = `SELECT ${columns('count(*) AS number')} FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND account = ? AND state = ?`;
export const COUNT_BLOCKED = `SELECT ${columns('count(*) AS number')} FROM outbox_rows INDEXED BY outbox_dependents
  WHERE waits_for >= ? AND waits_for < ? AND state = 'waiting' AND blocked = 1`;
export const OLDEST = `SELECT ${columns('sequence, enqueued_at')} FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND account = ? AND state = ? ORDER BY sequence LIMIT 1`;

/** A stored count. A damaged one is read as 0. */
const countOf = (number: unknown): number => (isCount(number) ? number : 0);

/** Open rows by the index of their state, and by the indexes of the queue, in one snapshot. A sound file has the same number of both. */
export const COUNT_BOTH = `SELECT ${columns(
  `(SELECT count(*) FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND account = ?1) AS open`,
  `(SELECT count(*) FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ?1) AS queued`,
  `(SELECT count(*) FROM outbox_rows INDEXED BY outbox_dependents WHERE waits_for >= ?2 AND waits_for < ?3 AND state = 'waiting' AND blocked = 1) AS blocked`,
)}`;

/**
 * The number of rows in each state. Final rows are counted with each change, since counting all of them would block the process.
 * `suspect` checks the file if the indexes disagree, and throws if it is damaged: a row that is missing in one of them would never
 * be sent, or never be counted.
 */
export function createTally({ first, all, run }: Connection, suspect = () => {}) {
  const changes = new Map<string, Map<Counted, number>>();
  const add = (account: string, name: Counted, by: number) => {
    const ofAccount = changes.get(account) ?? new Map<Counted, number>();
    changes.set(account, ofAccount.set(name, (ofAccount.get(name) ?? 0) + by));
  };

  const openOf = (accounts: readonly string[], state: string): number =>
    accounts.reduce((sum, account) => sum + Number(first(COUNT_OPEN, account, state)?.number), 0);
  /** The number of blocked rows. An id begins with its account and a colon, and a semicolon is the next character. */
  const blockedOf = (accounts: readonly string[]): number =>
    accounts.reduce((sum, account) => sum + Number(first(COUNT_BLOCKED, `${account}:`, `${account};`)?.number), 0);

  function oldestOpenAt(accounts: readonly string[]): number | undefined {
    const oldest = accounts.flatMap((account) => ['waiting', 'in-flight'].map((state) => first(OLDEST, account, state)).filter((row) => row !== undefined));
    oldest.sort((a, b) => Number(a.sequence) - Number(b.sequence));
    const at = oldest[0]?.enqueued_at;
    return isTime(at) ? at : undefined;
  }

  function counter(accounts: readonly string[]) {
    const counted = all(`SELECT ${columns('account, name, number')} FROM outbox_counts`).filter(({ account }) => accounts.includes(String(account)));
    return (wanted: Counted) => counted.reduce((sum, { name, number }) => sum + (name === wanted ? countOf(number) : 0), 0);
  }

  return {
    attempts: (account: string, by: number): void => add(account, 'attempts', by),
    /** Counts a turn of any account. An older copy of the file has fewer turns. */
    turn: (): void => add('', 'turns', 1),
    move(account: string, from: RowState, to: RowState): void {
      if (COUNTED.includes(from)) add(account, from as Counted, -1);
      if (COUNTED.includes(to)) add(account, to as Counted, 1);
    },
    /** Called at the begin of a transaction. */
    reset: (): void => changes.clear(),
    /** Called at the end of a transaction. */
    write(): void {
      for (const [account, ofAccount] of changes) for (const [name, by] of ofAccount) if (by !== 0) run(ADD, account, name, by);
      changes.clear();
    },
    finals(accounts: readonly string[]) {
      const of = counter(accounts);
      return { recorded: of('recorded'), dismissed: of('dismissed') };
    },
    read(accounts: readonly string[]): Counts {
      for (const account of accounts) {
        const both = first(COUNT_BOTH, account, `${account}:`, `${account};`);
        if (Number(both?.open) !== Number(both?.queued) + Number(both?.blocked)) suspect();
      }
      const of = counter(accounts);
      const blocked = blockedOf(accounts);
      return {
        states: {
          waiting: openOf(accounts, 'waiting') - blocked,
          blocked,
          'in-flight': openOf(accounts, 'in-flight'),
          recorded: of('recorded'),
          quarantined: of('quarantined'),
          dismissed: of('dismissed'),
        },
        oldestOpenAt: oldestOpenAt(accounts),
        attempts: of('attempts'),
      };
    },
  };
}

export type Tally = ReturnType<typeof createTally>;
