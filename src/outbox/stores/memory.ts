import { changePause, notPaused, type Pause } from '../pause.js';
import { claimed, isAsExpected, isBlocked, isClaimable, isFinal, LONGEST_WAIT_MS, type OutboxEnvironment, type Row, type RowState } from '../record.js';
import type { ClaimRequest, Counts, Enqueued, LogLine, NewRow, OutboxStore, RowQuery, Write } from '../store.js';
import { createQueue } from './due-queue.js';
import { environmentsOf, newRow } from './new-row.js';

/** What the memory store takes. */
export interface MemoryStoreOptions {
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined;
  /** Of a page with a relay: whose reports these are; see `OutboxStore`. Default: none, for a client of a gateway. */
  player?: string | undefined;
}

/**
 * A store in memory, for tests and for pages that need no more: what waits is lost with the process
 * (`durable: false`). Final rows stay as long as the process does.
 *
 * @example
 * ```ts
 * const outbox = createOutbox({ client, store: memoryStore() });
 * ```
 */
export function memoryStore({ now = Date.now, player }: MemoryStoreOptions = {}): OutboxStore {
  const environments = environmentsOf(player);
  const rows = new Map<string, Row>();
  const order: string[] = [];
  const dependents = new Map<string, Set<string>>();
  const queues = { staging: createQueue(), production: createQueue(), relay: createQueue() };
  const pauses: Record<OutboxEnvironment, Pause> = { staging: notPaused('staging'), production: notPaused('production'), relay: notPaused('relay') };
  const settings = new Map<string, string>();
  const unlogged = new Map<string, Row>();
  const log: LogLine[] = [];

  let latest = Number.NEGATIVE_INFINITY;

  /** The time; when it jumped back so far that rows would wait too long, they are due. */
  function time(): number {
    const at = now();
    if (at < latest) for (const row of rows.values()) if (!isFinal(row.state) && row.dueAt > at + LONGEST_WAIT_MS) put({ ...row, dueAt: at });
    latest = at;
    return at;
  }

  const isOpen = (row: Row | undefined): boolean => row !== undefined && !isFinal(row.state);

  /** Puts a row in its place, and those that wait for it in theirs. */
  function put(next: Row): Row {
    const row = { ...next, blocked: isBlocked(next, next.waitsFor === undefined ? undefined : rows.get(next.waitsFor)) };
    const wasOpen = isOpen(rows.get(row.id));
    rows.set(row.id, row);
    const queued = row.state === 'in-flight' || (row.state === 'waiting' && !row.blocked);
    queues[row.environment].set(row.id, queued ? { dueAt: row.dueAt, sequence: row.sequence } : undefined);
    if (isFinal(row.state)) unlogged.set(row.id, row);
    if (wasOpen === !isFinal(row.state)) return row;
    for (const id of dependents.get(row.id) ?? []) {
      const waiting = rows.get(id);
      if (waiting?.state === 'waiting') put(waiting);
    }
    return row;
  }

  function add(given: NewRow, at: number): Enqueued {
    const there = rows.get(given.id);
    if (there) return { row: there, added: false };
    order.push(given.id);
    if (given.waitsFor !== undefined) dependents.set(given.waitsFor, (dependents.get(given.waitsFor) ?? new Set()).add(given.id));
    return { row: put(newRow(given, order.length, at, false)), added: true };
  }

  function write({ id, expected, change }: Write, at: number): boolean {
    const row = rows.get(id);
    if (!row || !isAsExpected(row, expected)) return false;
    const { delayMs, keepBody, ...progress } = change;
    put({ ...row, ...progress, dueAt: at + delayMs, changedAt: at, body: keepBody ? row.body : undefined });
    return true;
  }

  function claim({ limit, leaseMs, probe }: ClaimRequest, at: number): Row[] {
    const open = environments.filter((environment) => (probe === undefined ? pauses[environment].reason === undefined : environment === probe));
    const taken: Row[] = [];
    while (taken.length < limit) {
      const next = open.flatMap((environment) => queues[environment].first() ?? []).sort((a, b) => a.dueAt - b.dueAt || a.sequence - b.sequence)[0];
      const row = next && rows.get(next.id);
      if (!row || !isClaimable(row, at)) break;
      taken.push(put({ ...row, ...claimed(row), dueAt: at + leaseMs, changedAt: at }));
    }
    return taken;
  }

  const matches = (row: Row, { state, environment, operation, reference }: RowQuery): boolean =>
    (state ?? row.state) === row.state &&
    (environment ?? row.environment) === row.environment &&
    (operation ?? row.operation) === row.operation &&
    (reference ?? row.reference) === row.reference;

  return {
    durable: false,
    player,
    enqueue: async (given) => {
      const at = time();
      return given.map((row) => add(row, at));
    },
    turn: async ({ writes, claim: request }) => {
      const at = time();
      return { written: writes.map((one) => write(one, at)), claimed: request ? claim(request, at) : [] };
    },
    outlook: async () => {
      const at = time();
      return environments.map((environment) => {
        const next = queues[environment].first();
        const pause = pauses[environment];
        const nextInMs = next && next.dueAt - at;
        return { environment, pause: { ...pause, remainingMs: pause.until - at }, nextInMs };
      });
    },
    pause: async (change) => {
      const before = pauses[change.environment];
      if (before.version !== change.version) return false;
      pauses[change.environment] = changePause(before, change, now());
      return true;
    },
    get: async (ids) => ids.map((id) => rows.get(id)),
    list: async (query) => {
      const found: Row[] = [];
      for (let sequence = query.after ?? 0; sequence < order.length && found.length < query.limit; sequence += 1) {
        const row = rows.get(order[sequence] ?? '');
        if (row && matches(row, query)) found.push(row);
      }
      return found;
    },
    counts: async () => countRows(rows.values()),
    remember: async (name, value) => {
      if (!settings.has(name)) settings.set(name, value);
      return settings.get(name) ?? value;
    },
    receipts: {
      unlogged: async (limit) => [...unlogged.values()].slice(0, limit),
      append: async (lines) => {
        if (lines.some(({ index, id }, offset) => index !== log.length + offset || !unlogged.has(id))) return false;
        log.push(...lines);
        for (const { id } of lines) unlogged.delete(id);
        return true;
      },
      read: async (from, limit) => log.slice(from, from + limit),
      last: async () => log.at(-1),
    },
  };
}

function countRows(rows: Iterable<Row>): Counts {
  const states: Record<RowState | 'blocked', number> = { waiting: 0, blocked: 0, 'in-flight': 0, recorded: 0, quarantined: 0, dismissed: 0 };
  let oldestOpenAt: number | undefined;
  let attempts = 0;
  for (const row of rows) {
    states[row.blocked ? 'blocked' : row.state] += 1;
    attempts += row.attempts;
    if (row.state === 'waiting' || row.state === 'in-flight') oldestOpenAt = Math.min(oldestOpenAt ?? row.enqueuedAt, row.enqueuedAt);
  }
  return { states, oldestOpenAt, attempts };
}
