import { type BoundDestination, keyOf } from '../rules/destination.js';
import {
  bytesAfter,
  claimed,
  isAsExpected,
  isBlocked,
  isClaimable,
  isFinal,
  isOpen,
  mustStay,
  type Row,
  takenFromWorker,
} from '../rules/state-machine.js';
import { isServed, mayTakeFrom } from '../store/claimants.js';
import type { ClaimRequest, Enqueued, NewRow, Write } from '../store/store.js';
import { chooseRows } from './claim-order.js';
import { type KeptDestination, newDestination } from './kept-destination.js';
import { newRow } from './new-row.js';

export interface KnownDestination extends KeptDestination {
  /** The rows that may be claimed now or later. */
  readonly queued: Map<string, Row>;
}

export function createMemoryRows() {
  const rows = new Map<string, Row>();
  const dependents = new Map<string, Set<string>>();
  const destinations = new Map<string, KnownDestination>();
  /** The final rows without a line in the log. */
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
    const { delayMs, keepBody, replacement, ...progress } = change;
    const bytes = bytesAfter(row, { keepBody, replacement });
    put({ ...row, ...progress, dueAt: at + delayMs, changedAt: at, ...bytes });
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
