import { refuseOtherNames } from '../../core/errors/errors.js';
import { ownOptions } from '../../core/platform/as-record.js';
import { keyOf, otherGateway } from '../rules/destination.js';
import type { LogLine } from '../rules/receipt-entry.js';
import { isClaimable, isPostponed, type Row } from '../rules/state-machine.js';
import type { Counts, OutboxStore } from '../store/store.js';
import { pausesAt, struckOf, withGateway, withPause } from './kept-destination.js';
import { createMemoryRows, type KnownDestination } from './memory-rows.js';
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
      return destinationsOf(accounts).map(({ queued, ...destination }) => {
        let nextInMs: number | undefined;
        for (const row of queued.values())
          nextInMs = Math.min(nextInMs ?? Number.POSITIVE_INFINITY, isClaimable(row, at) ? 0 : row.dueAt - at);
        return { ...destination, ...pausesAt(destination, at), nextInMs };
      });
    },
    pause: async (change) => replace(withPause(destinations.get(keyOf(change)), change, now())),
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
