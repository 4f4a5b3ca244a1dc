import { RELAY_ONLY } from '../../../relay-only.js';
import { notPaused, type Pause } from '../../pause.js';
import { claimed, isFinal, LONGEST_WAIT_MS, type OutboxEnvironment, type Row, type RowState } from '../../record.js';
import type { ClaimRequest, Counts, Enqueued, NewRow, Write } from '../../store.js';
import { rowFrom } from '../../stored-row.js';
import { ask, type Tables } from './connection.js';

/** A row as it lies in the database, with what its indexes are made of. */
export interface StoredRow {
  readonly row: Row;
  /** Of rows that may be claimed when their time comes. */
  readonly due: readonly [OutboxEnvironment, number, number] | undefined;
  /** Of rows that are neither final nor quarantined. */
  readonly openAt: number | undefined;
  /** Of final rows without a line in the log: when they became final. */
  readonly unlogged: number | undefined;
}

/** What is counted along, so that nobody has to count. */
interface Totals {
  readonly states: Record<RowState | 'blocked', number>;
  attempts: number;
  sequence: number;
}

const readTotals = async ({ meta }: Tables): Promise<Totals> =>
  (await ask<Totals | undefined>(meta.get('totals'))) ?? {
    states: { waiting: 0, blocked: 0, 'in-flight': 0, recorded: 0, quarantined: 0, dismissed: 0 },
    attempts: 0,
    sequence: 0,
  };

export async function readRow({ rows }: Tables, id: string): Promise<Row | undefined> {
  const found = await ask<StoredRow | undefined>(rows.get(id));
  return found && rowFrom(found.row);
}

export const readPause = async ({ meta }: Tables, environment: OutboxEnvironment): Promise<Pause> =>
  (await ask<Pause | undefined>(meta.get(`pause:${environment}`))) ?? notPaused(environment);

/** The rows whose time has come, and those whose time is so far ahead that a clock must have jumped. */
export const dueRanges = (environment: OutboxEnvironment, now: number): readonly [IDBKeyRange, IDBKeyRange] => [
  // In the order of keys an array comes after every number, and a shorter array before the longer ones.
  IDBKeyRange.bound([environment], [environment, now, []]),
  IDBKeyRange.bound([environment, now + LONGEST_WAIT_MS, []], [environment, []]),
];

/** A bound on the work when a page is online again. */
const MOST_HURRIED = 1_000;
/** However often a page becomes visible, a report is not tried more often than this. */
const SHORTEST_WAIT_MS = 1_000;

const isOpen = (row: Row | undefined): boolean => row !== undefined && !isFinal(row.state);

/** Changes rows within a transaction. What it counted is written by `finish`. */
export async function rowWriter(tables: Tables, at: number) {
  const { rows, meta } = tables;
  const totals = await readTotals(tables);
  let changed = false;

  function count(row: Row, by: 1 | -1): void {
    totals.states[!RELAY_ONLY && row.blocked ? 'blocked' : row.state] += by;
    totals.attempts += by * row.attempts;
  }

  /** Puts a row in its place, and those that wait for it in theirs. */
  async function put(before: Row | undefined, next: Row): Promise<Row> {
    const { state, waitsFor } = next;
    const row = { ...next, blocked: !RELAY_ONLY && state === 'waiting' && waitsFor !== undefined && isOpen(await readRow(tables, waitsFor)) };
    const claimable = state === 'in-flight' || (state === 'waiting' && (RELAY_ONLY || !row.blocked));
    rows.put({
      row,
      due: claimable ? [row.environment, row.dueAt, row.sequence] : undefined,
      openAt: state === 'waiting' || state === 'in-flight' ? row.enqueuedAt : undefined,
      unlogged: isFinal(state) ? at : undefined,
    } satisfies StoredRow);
    if (before) count(before, -1);
    count(row, 1);
    changed = true;
    if (!RELAY_ONLY && isOpen(before) !== isOpen(row))
      for (const { row: waiting } of await ask<StoredRow[]>(rows.index('row.waitsFor').getAll(row.id)))
        if (waiting.state === 'waiting') await put(waiting, waiting);
    return row;
  }

  return {
    async add(given: NewRow): Promise<Enqueued> {
      const there = await readRow(tables, given.id);
      if (there) return { row: there, added: false };
      totals.sequence += 1;
      const row: Row = {
        ...given,
        sequence: totals.sequence,
        state: 'waiting',
        blocked: false,
        fence: 0,
        attempts: 0,
        inDoubt: false,
        doubtBefore: false,
        enqueuedAt: at,
        dueAt: at,
        changedAt: at,
        outcome: undefined,
        message: undefined,
        problem: undefined,
        decisions: [],
      };
      return { row: await put(undefined, row), added: true };
    },

    async write({ id, expected, change }: Write): Promise<boolean> {
      const row = await readRow(tables, id);
      if (row?.state !== expected.state || row.fence !== expected.fence) return false;
      const { delayMs, keepBody, ...progress } = change;
      await put(row, { ...row, ...progress, dueAt: at + delayMs, changedAt: at, body: keepBody ? row.body : undefined });
      return true;
    },

    async claim({ limit, leaseMs, probe }: ClaimRequest, environments: readonly OutboxEnvironment[]): Promise<Row[]> {
      const found: StoredRow[] = [];
      for (const environment of environments) {
        const isClosed = probe === undefined ? (await readPause(tables, environment)).reason !== undefined : environment !== probe;
        if (!isClosed) for (const range of dueRanges(environment, at)) found.push(...(await ask<StoredRow[]>(rows.index('due').getAll(range, limit))));
      }
      found.sort(({ row: a }, { row: b }) => a.dueAt - b.dueAt || a.sequence - b.sequence);
      const taken: Row[] = [];
      for (const row of found.slice(0, limit).map((one) => rowFrom(one.row)))
        taken.push(await put(row, { ...row, ...claimed(row), dueAt: at + leaseMs, changedAt: at }));
      return taken;
    },

    /** Makes reports due that wait since their last attempt had no answer: the network may be back. Those that an answer delays stay as they are. */
    async hurry(environments: readonly OutboxEnvironment[]): Promise<void> {
      for (const environment of environments) {
        const later = IDBKeyRange.bound([environment, at, []], [environment, []]);
        for (const { row } of await ask<StoredRow[]>(rows.index('due').getAll(later, MOST_HURRIED))) {
          const isSilent = row.problem?.code === 'network' || row.problem?.code === 'timeout';
          if (row.state === 'waiting' && isSilent && Math.abs(at - row.changedAt) >= SHORTEST_WAIT_MS) await put(row, { ...row, dueAt: at });
        }
      }
    },

    /** Without it nothing is counted. */
    finish(): void {
      if (changed) meta.put(totals, 'totals');
    },
  };
}

export async function readCounts(tables: Tables): Promise<Counts> {
  const { states, attempts } = await readTotals(tables);
  const oldest = await ask(tables.rows.index('openAt').openKeyCursor());
  return { states, attempts, oldestOpenAt: oldest?.key as number | undefined };
}
