import { ConfigurationError } from '../../errors/errors.js';
import { ownOptions } from '../../platform/as-record.js';
import type { OperationName } from '../../protocol/operations.js';
import { namesProblem } from '../../schema/option-rules.js';
import { isServed, mayTakeFrom } from '../claimants.js';
import { type BoundDestination, type Destination, type DestinationOperation, keyOf, otherGateway, type Rebound } from '../destination.js';
import { changePause, notPaused, type Pause } from '../pause.js';
import { cutoffOf } from '../retention.js';
import { claimed, isAsExpected, isBlocked, isClaimable, isFinal, LONGEST_WAIT_MS, type Row } from '../state-machine.js';
import type { Claimant, ClaimRequest, Enqueued, LogLine, NewRow, OutboxStore, RowQuery, Write } from '../store.js';
import { countRows, type PrunedRows } from './count-rows.js';
import { createQueue } from './due-queue.js';
import { claimFairly } from './fair.js';
import { HEAD_OF_THE_QUEUE, inTurn } from './head-of-queue.js';
import { memoryConsole } from './memory-console.js';
import { missingKeysOf } from './missing-keys.js';
import { newRow } from './new-row.js';

/** The rows of an operation that may be claimed now or later: those that were never claimed, and the others. */
type Queues = { readonly [Name in 'untried' | 'tried']: ReturnType<typeof createQueue> };

/** A destination with its state and its queues. */
interface KnownDestination extends Destination {
  readonly gateway: string;
  readonly rebound: readonly Rebound[];
  readonly pause: Pause;
  /** Two queues for each operation. */
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
 * Makes a store in memory, for tests and for pages without durable reports. Reports that wait are lost when the process ends
 * (`durable: false`). Final rows stay until the process ends.
 *
 * @example
 * ```ts
 * const outbox = createOutbox({ client, store: memoryStore() });
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): OutboxStore {
  const problem = namesProblem('memoryStore', ['now', 'player'], options);
  if (problem !== undefined) throw new ConfigurationError(problem);
  const { now = Date.now, player } = ownOptions(options);
  const rows = new Map<string, Row>();
  const order: string[] = [];
  const dependents = new Map<string, Set<string>>();
  const destinations = new Map<string, KnownDestination>();
  const settings = new Map<string, string>();
  const unlogged = new Map<string, Row>();
  const log: LogLine[] = [];
  /** The pruned rows of each account. */
  const pruned = new Map<string, PrunedRows>();

  let latest = Number.NEGATIVE_INFINITY;

  /** The current time. If the clock has jumped back so far that rows would wait too long, they become due. */
  function time(): number {
    const at = now();
    if (at < latest) for (const row of rows.values()) if (!isFinal(row.state) && row.dueAt > at + LONGEST_WAIT_MS) put({ ...row, dueAt: at });
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
    const row = { ...next, blocked: isBlocked(next, next.waitsFor === undefined ? undefined : rows.get(next.waitsFor)) };
    const wasOpen = isOpen(rows.get(row.id));
    rows.set(row.id, row);
    const queued = row.state === 'in-flight' || (row.state === 'waiting' && !row.blocked);
    const { untried, tried } = queuesOf(row);
    const { dueAt, sequence, fence } = row;
    untried.set(row.id, queued && fence === 0 ? { dueAt: HEAD_OF_THE_QUEUE, sequence } : undefined);
    tried.set(row.id, queued && fence > 0 ? { dueAt, sequence } : undefined);
    if (isFinal(row.state)) unlogged.set(row.id, row);
    if (wasOpen === !isFinal(row.state)) return row;
    for (const id of dependents.get(row.id) ?? []) {
      const waiting = rows.get(id);
      if (waiting?.state === 'waiting') put(waiting);
    }
    return row;
  }

  /** The gateway of a destination. Binds the given one if it had none. */
  function bind({ account, environment, gateway }: BoundDestination): string {
    const there = destinations.get(keyOf({ account, environment }));
    if (there) return there.gateway;
    const pause = notPaused({ account, environment });
    destinations.set(keyOf(pause), { account, environment, gateway, rebound: [], pause, queues: new Map() });
    return gateway;
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

  function claim({ accounts, limit, leaseMs, probe, without = [], untriedFirst }: ClaimRequest, at: number): Row[] {
    const isLeftOut = (one: DestinationOperation) => without.some((other) => other.operation === one.operation && keyOf(other) === keyOf(one));
    const openQueues = ({ queues, ...one }: KnownDestination) => [...queues].filter(([operation]) => !isLeftOut({ ...one, operation } as DestinationOperation));
    const openOf = (claimant: Claimant) => [...destinations.values()].filter((one) => isServed(one, [claimant]) && mayTakeFrom(one.pause, probe));
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

  const matches = (row: Row, { account, state, environment, operation, reference }: RowQuery): boolean =>
    (account ?? row.account) === row.account &&
    (state ?? row.state) === row.state &&
    (environment ?? row.environment) === row.environment &&
    (operation ?? row.operation) === row.operation &&
    (reference ?? row.reference) === row.reference;

  function counts(accounts: readonly string[] | undefined) {
    const isCounted = (account: string) => accounts?.includes(account) ?? true;
    const gone = [...pruned].filter(([account]) => isCounted(account)).map(([, one]) => one);
    return countRows(
      [...rows.values()].filter(({ account }) => isCounted(account)),
      gone,
    );
  }

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
    rebind: async ({ from, gateway, reason, ...destination }) => {
      const before = destinations.get(keyOf(destination));
      if (before?.gateway !== from) return false;
      destinations.set(keyOf(destination), { ...before, gateway, rebound: [...before.rebound, { from, reason, at: time() }] });
      return true;
    },
    outlook: async (accounts) => {
      const at = time();
      return [...destinations.values()]
        .filter(({ account }) => accounts?.includes(account) ?? true)
        .map(({ queues, pause, ...destination }) => {
          const due = [...queues.values()].flatMap(({ untried, tried }) => [untried, tried].flatMap((queue) => queue.first()?.dueAt ?? []));
          return { ...destination, pause: { ...pause, remainingMs: pause.until - at }, nextInMs: due.length > 0 ? Math.min(...due) - at : undefined };
        });
    },
    pause: async (change) => {
      const before = destinations.get(keyOf(change));
      if (before?.pause.version !== change.version) return false;
      destinations.set(keyOf(change), { ...before, pause: changePause(before.pause, change, now()) });
      return true;
    },
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
    prune: async ({ account, olderThanMs, after, limit }) => {
      const before = cutoffOf(time(), olderThanMs);
      const next = Math.min(order.length, after + limit);
      const old = order.slice(after, next).flatMap((id) => {
        const row = rows.get(id);
        return row?.account === account && isFinal(row.state) && row.changedAt < before && !unlogged.has(id) ? [row] : [];
      });
      const kept = pruned.get(account) ?? { before, recorded: 0, dismissed: 0, attempts: 0 };
      for (const row of old) {
        rows.delete(row.id);
        kept[row.state === 'recorded' ? 'recorded' : 'dismissed'] += 1;
        kept.attempts += row.attempts;
        order[row.sequence - 1] = '';
        if (row.waitsFor !== undefined) dependents.get(row.waitsFor)?.delete(row.id);
      }
      if (old.length > 0) pruned.set(account, { ...kept, before: Math.max(before, kept.before) });
      return { pruned: old.length, next: next < order.length ? next : undefined };
    },
    prunedBefore: async (account) => pruned.get(account)?.before,
    remember: async (name, value) => {
      if (!settings.has(name)) settings.set(name, value);
      return settings.get(name) ?? value;
    },
    console: memoryConsole({
      rows: () => rows.values(),
      destinations: () => destinations.values(),
      rowAt: (sequence) => rows.get(order[sequence - 1] ?? ''),
      last: () => order.length,
      now: time,
      finals: (accounts) => counts(accounts).states,
      write,
    }),
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
