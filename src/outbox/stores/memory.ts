import { refuseOtherNames } from '../../core/errors/errors.js';
import { ownOptions } from '../../core/platform/as-record.js';
import { type BoundDestination, keyOf, otherGateway } from '../rules/destination.js';
import { type LearnedRate, takeSlots } from '../rules/rate.js';
import type { LogLine } from '../rules/receipt-entry.js';
import {
  changedRow,
  claimed,
  isAsExpected,
  isBlocked,
  isClaimable,
  isFinal,
  isOpen,
  isPostponed,
  mustStay,
  type Row,
  takenFromWorker,
  type Write,
} from '../rules/state-machine.js';
import { isServed, mayTakeFrom } from '../store/claimants.js';
import type { ClaimRequest, Counts, Enqueued, NewRow, OutboxStore } from '../store/store.js';
import { chooseRows } from './claim-order.js';
import {
  type KeptDestination,
  newDestination,
  pausesAt,
  struckOf,
  withGateway,
  withPause,
} from './kept-destination.js';
import { newRow } from './new-row.js';
import { matches, missingKeysOf } from './row-queries.js';

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
  const { rows, destinations, unlogged, bind, add, write, claim } = createMemoryRows();
  const settings = new Map<string, string>();
  const log: LogLine[] = [];

  const destinationsOf = (accounts: readonly string[] | undefined): KnownDestination[] =>
    [...destinations.values()].filter(({ account }) => accounts?.includes(account) ?? true);

  function replace(next: KnownDestination | undefined): boolean {
    if (next) destinations.set(keyOf(next), next);
    return next !== undefined;
  }

  return {
    durable: false,
    player,
    enqueue: async (given) => {
      const at = now();
      // All rows are checked before the first is added.
      for (const row of given) {
        const bound = bind(row);
        if (bound !== row.gateway) throw otherGateway(row, bound);
      }
      return given.map((row) => add(row, at));
    },
    turn: async ({ writes, claim: request }) => {
      const at = now();
      return {
        written: writes.map((one) => write(one, at)),
        claimed: request ? claim(request, at) : [],
        struck: struckOf([...destinations.values()]),
      };
    },
    bind: async (given) => given.map(bind),
    rebind: async (change) => replace(withGateway(destinations.get(keyOf(change)), change, now())),
    outlook: async (accounts) => {
      const at = now();
      return destinationsOf(accounts).map(({ queued, learned, nextSlot, ...destination }) => {
        let nextInMs: number | undefined;
        for (const row of queued.values())
          nextInMs = Math.min(nextInMs ?? Number.POSITIVE_INFINITY, isClaimable(row, at) ? 0 : row.dueAt - at);
        const rate = learned?.perSecond ? { ...learned, ageMs: at - learned.at } : undefined;
        return { ...destination, ...pausesAt(destination, at), rate, nextInMs };
      });
    },
    pause: async (change) => replace(withPause(destinations.get(keyOf(change)), change, now())),
    takeSlots: async (destination, long) => {
      const known = destinations.get(keyOf(destination));
      const at = now() * 1_000;
      const { first, next } = takeSlots({ next: known?.nextSlot ?? 0, now: at }, long);
      replace(known && { ...known, nextSlot: next });
      return (first - at) / 1_000;
    },
    keepRate: async (destination, rate) => {
      const known = destinations.get(keyOf(destination));
      replace(known && { ...known, learned: { ...rate, at: now() } });
    },
    get: async (ids) => ids.map((id) => rows.get(id)),
    missingKeys: async (accounts) => missingKeysOf(rows.values(), accounts),
    list: async (query) => [...rows.values()].filter((row) => matches(row, query)).slice(0, query.limit),
    counts: async (accounts) =>
      countRows([...rows.values()].filter(({ account }) => accounts?.includes(account) ?? true)),
    getOrCreateSetting: async (name, value) => {
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

interface KnownDestination extends KeptDestination {
  readonly queued: Map<string, Row>;
  /** The next free slot, in microseconds. */
  readonly nextSlot?: number;
  readonly learned?: LearnedRate & { readonly at: number };
}

function createMemoryRows() {
  const rows = new Map<string, Row>();
  const dependents = new Map<string, Set<string>>();
  const destinations = new Map<string, KnownDestination>();
  const unlogged = new Map<string, Row>();

  /** Stores a row, and updates the rows that wait for it. */
  function put(next: Row): Row {
    const row = {
      ...next,
      blocked: isBlocked(next, next.waitsFor === undefined ? undefined : rows.get(next.waitsFor)),
    };
    const wasOpen = isOpen(rows.get(row.id));
    rows.set(row.id, row);
    const queued = destinations.get(keyOf(row))?.queued;
    if (row.state === 'in-flight' || (row.state === 'waiting' && !row.blocked)) queued?.set(row.id, row);
    else queued?.delete(row.id);
    if (isFinal(row.state)) unlogged.set(row.id, row);
    else unlogged.delete(row.id);
    if (wasOpen === isOpen(row)) return row;
    for (const id of dependents.get(row.id) ?? []) {
      const waiting = rows.get(id);
      if (waiting?.state === 'waiting') put(waiting);
    }
    return row;
  }

  /** The gateway of a destination. Binds the given one if it had none. */
  function bind(given: BoundDestination): string {
    const there = destinations.get(keyOf(given));
    if (!there) destinations.set(keyOf(given), { ...newDestination(given), queued: new Map() });
    return there?.gateway ?? given.gateway;
  }

  function add(given: NewRow, at: number): Enqueued {
    const there = rows.get(given.id);
    if (there) return { row: there, added: false };
    if (given.waitsFor !== undefined)
      dependents.set(given.waitsFor, (dependents.get(given.waitsFor) ?? new Set()).add(given.id));
    return { row: put(newRow(given, rows.size + 1, at, false)), added: true };
  }

  function write({ id, expected, change }: Write, at: number): boolean {
    const row = rows.get(id);
    if (!row || !isAsExpected(row, expected) || unlogged.has(id)) return false;
    if ([...(dependents.get(id) ?? [])].some((one) => mustStay(expected, rows.get(one)))) return false;
    put(changedRow({ ...row, dueAt: at + change.delayMs, changedAt: at }, change));
    return true;
  }

  function claim(request: ClaimRequest, at: number): Row[] {
    const open = [...destinations.values()].filter(
      (one) => isServed(one, request.accounts) && mayTakeFrom(one.pause, request.probe),
    );
    const due = open.flatMap(({ queued }) => [...queued.values()].filter((row) => isClaimable(row, at)));
    return chooseRows(request, due, at).flatMap((row) => {
      if (isOpen(rows.get(row.waitsFor ?? ''))) {
        write(takenFromWorker(row), at);
        return [];
      }
      return put({ ...row, ...claimed(row), dueAt: at + request.leaseMs, changedAt: at });
    });
  }

  return { rows, destinations, unlogged, bind, add, write, claim };
}

function countRows(rows: Iterable<Row>): Counts {
  const states = { waiting: 0, blocked: 0, 'in-flight': 0, recorded: 0, quarantined: 0, dismissed: 0 };
  let oldestOpenAt: number | undefined;
  let attempts = 0;
  let refused = 0;
  for (const row of rows) {
    states[row.blocked ? 'blocked' : row.state] += 1;
    attempts += row.attempts;
    if (isPostponed(row)) refused += 1;
    if (row.state === 'waiting' || row.state === 'in-flight')
      oldestOpenAt = Math.min(oldestOpenAt ?? row.enqueuedAt, row.enqueuedAt);
  }
  return { states, refused, oldestOpenAt, attempts };
}
