import { refuseOtherNames } from '../../errors/errors.js';
import { ownOptions } from '../../platform/as-record.js';
import type { OperationName } from '../../protocol/operations.js';
import { type BoundDestination, type DestinationOperation, keyOf, otherGateway } from '../rules/destination.js';
import type { LogLine } from '../rules/receipt-entry.js';
import {
  bytesAfter,
  claimed,
  isAsExpected,
  isBlocked,
  isClaimable,
  isFinal,
  LONGEST_WAIT_MS,
  type Row,
} from '../rules/state-machine.js';
import { isServed, mayTakeFrom } from '../store/claimants.js';
import type { Claimant, ClaimRequest, Counts, Enqueued, NewRow, OutboxStore, Write } from '../store/store.js';
import { claimFairly, HEAD_OF_THE_QUEUE, inTurn } from './claim-order.js';
import { type KeptDestination, newDestination, pausesAt, withGateway, withPause } from './kept-destination.js';
import { matches, missingKeysOf, newRow } from './rows.js';

/** The rows of an operation that may be claimed now or later: those that were never claimed, and the others. */
type Queues = { readonly [Name in 'untried' | 'tried']: ReturnType<typeof createQueue> };

interface KnownDestination extends KeptDestination {
  readonly queues: Map<OperationName, Queues>;
}

/** The options of the memory store. */
export interface MemoryStoreOptions {
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined;
  /** The player of the reports, in a page with a relay; see `OutboxStore`. Default: none, for a client of a gateway. */
  player?: string | undefined;
}

/**
 * Makes a store in memory, for tests and for pages without durable reports. Reports that wait are lost when the process
 * ends (`durable: false`). Final rows stay until the process ends. It has no console.
 *
 * @example
 * ```ts
 * const outbox = createOutbox({ client, store: memoryStore() });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): OutboxStore {
  refuseOtherNames('memoryStore', ['now', 'player'], options);
  const { now = Date.now, player } = ownOptions(options);
  const rows = new Map<string, Row>();
  const order: string[] = [];
  const dependents = new Map<string, Set<string>>();
  const destinations = new Map<string, KnownDestination>();
  const settings = new Map<string, string>();
  const unlogged = new Map<string, Row>();
  const log: LogLine[] = [];

  let latest = Number.NEGATIVE_INFINITY;

  /** The current time. If the clock has jumped back so far that rows would wait too long, they become due. */
  function time(): number {
    const at = now();
    if (at < latest)
      for (const row of rows.values())
        if (!isFinal(row.state) && row.dueAt > at + LONGEST_WAIT_MS) put({ ...row, dueAt: at });
    latest = at;
    return at;
  }

  const isOpen = (row: Row | undefined): boolean => row !== undefined && !isFinal(row.state);

  function queuesOf(row: Row): Queues {
    const queues = destinations.get(keyOf(row))?.queues;
    const found = queues?.get(row.operation) ?? { untried: createQueue(), tried: createQueue() };
    queues?.set(row.operation, found);
    return found;
  }

  /** Stores a row, and updates the rows that wait for it. */
  function put(next: Row): Row {
    const row = {
      ...next,
      blocked: isBlocked(next, next.waitsFor === undefined ? undefined : rows.get(next.waitsFor)),
    };
    const wasOpen = isOpen(rows.get(row.id));
    rows.set(row.id, row);
    const queued = row.state === 'in-flight' || (row.state === 'waiting' && !row.blocked);
    const { untried, tried } = queuesOf(row);
    const { dueAt, sequence, fence } = row;
    untried.set(row.id, queued && fence === 0 ? { dueAt: HEAD_OF_THE_QUEUE, sequence } : undefined);
    tried.set(row.id, queued && fence > 0 ? { dueAt, sequence } : undefined);
    if (isFinal(row.state)) unlogged.set(row.id, row);
    else unlogged.delete(row.id);
    if (wasOpen === !isFinal(row.state)) return row;
    for (const id of dependents.get(row.id) ?? []) {
      const waiting = rows.get(id);
      if (waiting?.state === 'waiting') put(waiting);
    }
    return row;
  }

  /** The gateway of a destination. Binds the given one if it had none. */
  function bind(given: BoundDestination): string {
    const there = destinations.get(keyOf(given));
    if (!there) destinations.set(keyOf(given), { ...newDestination(given), queues: new Map() });
    return there?.gateway ?? given.gateway;
  }

  function replace(next: KnownDestination | undefined): boolean {
    if (next) destinations.set(keyOf(next), next);
    return next !== undefined;
  }

  function add(given: NewRow, at: number): Enqueued {
    const there = rows.get(given.id);
    if (there) return { row: there, added: false };
    order.push(given.id);
    if (given.waitsFor !== undefined)
      dependents.set(given.waitsFor, (dependents.get(given.waitsFor) ?? new Set()).add(given.id));
    return { row: put(newRow(given, order.length, at, false)), added: true };
  }

  function write({ id, expected, change }: Write, at: number): boolean {
    const row = rows.get(id);
    if (!row || !isAsExpected(row, expected) || unlogged.has(id)) return false;
    const { delayMs, keepBody, replacement, ...progress } = change;
    const bytes = bytesAfter(row, { keepBody, replacement });
    put({ ...row, ...progress, ...bytes, dueAt: at + delayMs, changedAt: at });
    return true;
  }

  function claim({ accounts, limit, leaseMs, probe, without = [], untriedFirst }: ClaimRequest, at: number): Row[] {
    const isLeftOut = (one: DestinationOperation) =>
      without.some((other) => other.operation === one.operation && keyOf(other) === keyOf(one));
    const openQueues = ({ queues, ...one }: KnownDestination) =>
      [...queues].filter(([operation]) => !isLeftOut({ ...one, operation } as DestinationOperation));
    const openOf = (claimant: Claimant) =>
      [...destinations.values()].filter((one) => isServed(one, [claimant]) && mayTakeFrom(one.pause, probe));
    const heads = (claimant: Claimant, name: keyof Queues): Row[] =>
      openOf(claimant)
        .flatMap((one) => openQueues(one).flatMap(([, queues]) => rows.get(queues[name].first()?.id ?? '') ?? []))
        .filter((row) => isClaimable(row, at))
        .sort(inTurn(at));
    return claimFairly(accounts, limit, (account) => {
      const [untried] = heads(account, 'untried');
      const [tried] = untriedFirst && untried ? [] : heads(account, 'tried');
      const [row] = [untried, tried].flatMap((one) => one ?? []).sort(inTurn(at));
      return row ? put({ ...row, ...claimed(row), dueAt: at + leaseMs, changedAt: at }) : undefined;
    });
  }

  const counts = (accounts: readonly string[] | undefined): Counts =>
    countRows([...rows.values()].filter(({ account }) => accounts?.includes(account) ?? true));

  return {
    durable: false,
    player,
    enqueue: async (given) => {
      const at = time();
      // All rows are checked before the first is added.
      for (const row of given) {
        const bound = bind(row);
        if (bound !== row.gateway) throw otherGateway(row, bound);
      }
      return given.map((row) => add(row, at));
    },
    turn: async ({ writes, claim: request }) => {
      const at = time();
      return { written: writes.map((one) => write(one, at)), claimed: request ? claim(request, at) : [] };
    },
    bind: async (given) => given.map(bind),
    rebind: async (change) => replace(withGateway(destinations.get(keyOf(change)), change, time())),
    outlook: async (accounts) => {
      const at = time();
      return [...destinations.values()]
        .filter(({ account }) => accounts?.includes(account) ?? true)
        .map(({ queues, ...destination }) => {
          const due = [...queues.values()].flatMap(({ untried, tried }) =>
            [untried, tried].flatMap((queue) => queue.first()?.dueAt ?? []),
          );
          const nextInMs = due.length > 0 ? Math.min(...due) - at : undefined;
          return { ...destination, ...pausesAt(destination, at), nextInMs };
        });
    },
    pause: async (change) => replace(withPause(destinations.get(keyOf(change)), change, now())),
    get: async (ids) => ids.map((id) => rows.get(id)),
    missingKeys: async (accounts) => missingKeysOf(rows.values(), accounts),
    list: async (query) => {
      const found: Row[] = [];
      for (let sequence = query.after ?? 0; sequence < order.length && found.length < query.limit; sequence += 1) {
        const row = rows.get(order[sequence] ?? '');
        if (row && matches(row, query)) found.push(row);
      }
      return found;
    },
    counts: async (accounts) => counts(accounts),
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
  const states = { waiting: 0, blocked: 0, 'in-flight': 0, recorded: 0, quarantined: 0, dismissed: 0 };
  let oldestOpenAt: number | undefined;
  let attempts = 0;
  for (const row of rows) {
    states[row.blocked ? 'blocked' : row.state] += 1;
    attempts += row.attempts;
    if (row.state === 'waiting' || row.state === 'in-flight')
      oldestOpenAt = Math.min(oldestOpenAt ?? row.enqueuedAt, row.enqueuedAt);
  }
  return { states, oldestOpenAt, attempts };
}

/** The time from which a row may be claimed, and its place among rows of the same time. */
interface Due {
  readonly dueAt: number;
  readonly sequence: number;
}

type Entry = Due & { readonly id: string };

const isBefore = (a: Due, b: Due) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence);

/**
 * The rows that may be claimed, earliest first: a binary heap. A replaced entry stays in the heap until it comes first.
 * Finding the first entry takes logarithmic time.
 */
export function createQueue() {
  let heap: Entry[] = [];
  const current = new Map<string, Entry>();

  const at = (index: number) => heap[index] as Entry;

  function push(entry: Entry): void {
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, at(parent))) break;
      heap[index] = at(parent);
      index = parent;
    }
    heap[index] = entry;
  }

  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(at(child + 1), at(child))) child += 1;
      if (!isBefore(at(child), last)) break;
      heap[index] = at(child);
      index = child;
    }
    heap[index] = last;
  }

  const rebuild = (entries: Iterable<Entry>) => {
    const all = [...entries];
    heap = [];
    for (const entry of all) push(entry);
  };

  return {
    /** Puts a row at its place, or removes it. */
    set(id: string, due: Due | undefined): void {
      if (due === undefined) {
        current.delete(id);
        return;
      }
      const entry = { id, dueAt: due.dueAt, sequence: due.sequence };
      current.set(id, entry);
      push(entry);
      if (heap.length > 2 * current.size + 64) rebuild(current.values());
    },
    first(): Entry | undefined {
      while (heap[0] !== undefined && current.get(heap[0].id) !== heap[0]) pop();
      return heap[0];
    },
  };
}
