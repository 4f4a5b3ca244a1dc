import type { Destination, OutboxEnvironment } from '../../rules/destination.js';
import {
  changedRow,
  claimed,
  isFinal,
  isOpen,
  isPostponed,
  LONGEST_WAIT_MS,
  mustStay,
  type Row,
  takenFromWorker,
  type Write,
} from '../../rules/state-machine.js';
import { rowFrom } from '../../rules/stored-row.js';
import { isServed, mayTakeFrom } from '../../store/claimants.js';
import type { ClaimRequest, Counts, DestinationState, Enqueued, NewRow } from '../../store/store.js';
import { chooseRows, HEAD_OF_THE_QUEUE } from '../claim-order.js';
import { type KeptDestination, pausesAt } from '../kept-destination.js';
import { newRow } from '../new-row.js';
import { ask, type Tables } from './connection.js';
import { readDestinations } from './destinations.js';

export interface IndexedRow {
  readonly row: Row;
  readonly due: readonly [string, OutboxEnvironment, number, number] | undefined;
  /** The key of rows that are neither final nor quarantined: account and time of enqueueing. */
  readonly open: readonly [string, number] | undefined;
  /** The key of final rows without a line in the log: the time at which they became final. */
  readonly unlogged: number | undefined;
  /** The tab that has claimed the row, if locks tell when it is gone. */
  readonly holder?: string;
}

/** The stored counts, so that `counts` need not read all rows. */
interface Totals {
  readonly sequence: number;
  readonly counted: Readonly<Record<string, Pick<Counts, 'states' | 'attempts'> & Partial<Pick<Counts, 'refused'>>>>;
}

const NOTHING: Totals['counted'][string] = {
  states: { waiting: 0, blocked: 0, 'in-flight': 0, recorded: 0, quarantined: 0, dismissed: 0 },
  attempts: 0,
};

const readTotals = async ({ meta }: Tables): Promise<Totals> =>
  (await ask<Totals | undefined>(meta.get('totals'))) ?? { sequence: 0, counted: {} };

function counting({ sequence, counted }: Totals, row: Row, by: 1 | -1): Totals {
  const { states, attempts, refused = 0 }: Totals['counted'][string] = counted[row.account] ?? NOTHING;
  const state = row.blocked ? 'blocked' : row.state;
  const ofAccount = {
    states: { ...states, [state]: states[state] + by },
    attempts: attempts + by * row.attempts,
    refused: refused + (isPostponed(row) ? by : 0),
  };
  return { sequence, counted: { ...counted, [row.account]: ofAccount } };
}

export async function readRow({ rows }: Tables, id: string): Promise<Row | undefined> {
  const found = await ask<IndexedRow | undefined>(rows.get(id));
  return found && rowFrom(found.row);
}

/**
 * The ranges of the rows that were never claimed, of the others that are due, and of those whose time is so far in the
 * future that a clock must have jumped.
 */
const dueRanges = (
  { account, environment }: Destination,
  now: number,
): readonly [IDBKeyRange, IDBKeyRange, IDBKeyRange] => [
  // In the order of keys an array comes after every number, and a shorter array before the longer ones.
  IDBKeyRange.bound([account, environment], [account, environment, HEAD_OF_THE_QUEUE, []]),
  IDBKeyRange.bound([account, environment, HEAD_OF_THE_QUEUE, []], [account, environment, now, []]),
  IDBKeyRange.bound([account, environment, now + LONGEST_WAIT_MS, []], [account, environment, []]),
];

/** The largest number of rows that are looked at, for a claim that leaves some out, or for rows that are not due yet. */
const MOST_LOOKED_AT = 1_000;
/** The shortest interval between two attempts of a report, even if the page becomes visible more often. */
const SHORTEST_WAIT_MS = 1_000;

async function readLater(tables: Tables, now: number): Promise<IndexedRow[]> {
  const later: IndexedRow[] = [];
  for (const { account, environment } of await readDestinations(tables)) {
    const range = IDBKeyRange.bound([account, environment, now, []], [account, environment, []]);
    later.push(...(await ask<IndexedRow[]>(tables.rows.index('due').getAll(range, MOST_LOOKED_AT))));
  }
  return later;
}

/** The rows in flight whose lease is not over and whose holder is known. */
export const readHeld = async (tables: Tables, now: number): Promise<IndexedRow[]> =>
  (await readLater(tables, now)).filter(({ row, holder }) => row.state === 'in-flight' && holder !== undefined);

async function place(tables: Tables, next: Row, at: number): Promise<IndexedRow> {
  const { state, waitsFor, account } = next;
  const row = {
    ...next,
    blocked: state === 'waiting' && waitsFor !== undefined && isOpen(await readRow(tables, waitsFor)),
  };
  const claimable = state === 'in-flight' || (state === 'waiting' && !row.blocked);
  return {
    row,
    due: claimable
      ? [account, row.environment, row.fence === 0 ? HEAD_OF_THE_QUEUE : row.dueAt, row.sequence]
      : undefined,
    open: state === 'waiting' || state === 'in-flight' ? [account, row.enqueuedAt] : undefined,
    unlogged: isFinal(state) ? at : undefined,
  };
}

/** Changes rows within a transaction. Call `finish` to write the totals. */
export async function rowWriter(tables: Tables, at: number) {
  const { rows, meta } = tables;
  const before = await readTotals(tables);
  let totals = before;

  const rowsAfter = async (id: string): Promise<Row[]> =>
    (await ask<IndexedRow[]>(rows.index('row.waitsFor').getAll(id))).map(({ row }) => rowFrom(row));

  /** Stores a row, and updates the rows that wait for it. */
  async function put(known: Row | undefined, next: Row, holder?: string): Promise<Row> {
    const placed = await place(tables, next, at);
    const { row } = placed;
    rows.put(holder === undefined ? placed : { ...placed, holder });
    if (known) totals = counting(totals, known, -1);
    totals = counting(totals, row, 1);
    if (isOpen(known) !== isOpen(row))
      for (const waiting of await rowsAfter(row.id)) if (waiting.state === 'waiting') await put(waiting, waiting);
    return row;
  }

  async function write({ id, expected, change }: Write): Promise<boolean> {
    const found = await ask<IndexedRow | undefined>(rows.get(id));
    const row = found && rowFrom(found.row);
    if (row?.state !== expected.state || row.fence !== expected.fence || found?.unlogged !== undefined) return false;
    if ((await rowsAfter(id)).some((after) => mustStay(expected, after))) return false;
    await put(row, changedRow({ ...row, dueAt: at + change.delayMs, changedAt: at }, change));
    return true;
  }

  return {
    async add(given: NewRow): Promise<Enqueued> {
      const there = await readRow(tables, given.id);
      if (there) return { row: there, added: false };
      totals = { ...totals, sequence: totals.sequence + 1 };
      return { row: await put(undefined, newRow(given, totals.sequence, at, false)), added: true };
    },

    write,

    async claim(request: ClaimRequest, holder?: string): Promise<Row[]> {
      const { accounts, limit, leaseMs, probe, without = [], untriedFirst } = request;
      const looked = untriedFirst || without.length > 0 ? MOST_LOOKED_AT : limit;
      const claimable: Row[] = [];
      for (const one of await readDestinations(tables))
        if (isServed(one, accounts) && mayTakeFrom(one.pause, probe))
          for (const range of dueRanges(one, at))
            for (const { row } of await ask<IndexedRow[]>(rows.index('due').getAll(range, looked)))
              claimable.push(rowFrom(row));
      const taken: Row[] = [];
      for (const row of chooseRows(request, claimable, at))
        if (row.waitsFor !== undefined && isOpen(await readRow(tables, row.waitsFor)))
          await write(takenFromWorker(row));
        else taken.push(await put(row, { ...row, ...claimed(row), dueAt: at + leaseMs, changedAt: at }, holder));
      return taken;
    },

    /**
     * Makes reports due whose last attempt had no answer, since the network may be back. Reports that got an answer
     * keep their wait.
     */
    async hurry(): Promise<void> {
      for (const { row } of await readLater(tables, at)) {
        const isSilent = row.problem?.code === 'network' || row.problem?.code === 'timeout';
        if (row.state === 'waiting' && isSilent && Math.abs(at - row.changedAt) >= SHORTEST_WAIT_MS)
          await put(row, { ...row, dueAt: at });
      }
    },

    /** Ends the leases of a tab that is gone. Its rows stay in doubt. */
    async release(holder: string): Promise<void> {
      for (const one of await readHeld(tables, at))
        if (one.holder === holder) await put(one.row, { ...rowFrom(one.row), dueAt: at });
    },

    finish(): void {
      if (totals !== before) meta.put(totals, 'totals');
    },
  };
}

export type RowWriter = Awaited<ReturnType<typeof rowWriter>>;

export async function readCounts(tables: Tables, accounts?: readonly string[]): Promise<Counts> {
  const { counted } = await readTotals(tables);
  const states = { ...NOTHING.states };
  let attempts = 0;
  let refused = 0;
  let oldestOpenAt: number | undefined;
  for (const account of accounts ?? Object.keys(counted)) {
    const ofAccount = counted[account] ?? NOTHING;
    for (const state of Object.keys(states) as (keyof typeof states)[]) states[state] += ofAccount.states[state];
    attempts += ofAccount.attempts;
    refused += ofAccount.refused ?? 0;
    const oldest = await ask(tables.rows.index('open').openKeyCursor(IDBKeyRange.bound([account], [account, []])));
    const at = oldest && (oldest.key as [string, number])[1];
    if (at !== undefined && at !== null) oldestOpenAt = Math.min(oldestOpenAt ?? at, at);
  }
  return { states, refused, attempts, oldestOpenAt };
}

export async function readOutlook(
  tables: Tables,
  at: number,
  accounts: readonly string[] | undefined,
): Promise<DestinationState[]> {
  const index = tables.rows.index('due');
  const outlookOf = async (destination: KeptDestination): Promise<DestinationState> => {
    const { account, environment } = destination;
    const first = await ask<IndexedRow | undefined>(
      index.get(IDBKeyRange.bound([account, environment], [account, environment, []])),
    );
    const jumped = await ask(index.getKey(dueRanges(destination, at)[2]));
    const nextInMs = first && (jumped !== undefined || first.row.fence === 0 ? 0 : first.row.dueAt - at);
    return { ...destination, ...pausesAt(destination, at), nextInMs };
  };
  return Promise.all((await readDestinations(tables, accounts)).map(outlookOf));
}
