import {
  type BoundDestination,
  type Destination,
  type DestinationOperation,
  destinationScope,
  otherGateway,
  type PauseScope,
} from '../../src/outbox/rules/destination.js';
import { isStruck, notPaused, type Pause, type PauseChange } from '../../src/outbox/rules/pause.js';
import type { Change, Row, Write } from '../../src/outbox/rules/state-machine.js';
import type { DecisionStep } from '../../src/outbox/store/operator-store.js';
import type {
  ClaimRequest,
  DestinationState,
  Enqueued,
  NewRow,
  Turn,
  TurnResult,
} from '../../src/outbox/store/store.js';
import { HEAD_OF_THE_QUEUE } from '../../src/outbox/stores/claim-order.js';
import type { Decisions } from './decisions.js';

/** Called for every commit. */
export interface Watcher {
  claimed?(before: Row, after: Row, probe: 'destination' | 'operation' | undefined): void;
  written?(write: Write, before: Row, after: Row): void;
  fencedOff?(write: Write, row: Row): void;
  /** A row in flight waits again: its lease is over, and the row before it is open. */
  takenFromWorker?(row: Row): void;
  /** A final row stays, since the row after it is in flight. */
  stays?(row: Row): void;
  /** A claim had room for more rows, and found none among these. */
  nothingLeft?(rows: readonly Row[]): void;
}

/** Compares without the text of `keyOf`, which would take most of the time. */
const isSame = (one: Destination, other: Destination) =>
  one.account === other.account && one.environment === other.environment;

/** Of any destination or operation: to make one for each would take a tenth of the time. */
const NEVER_PAUSED: Omit<Pause, keyof PauseScope> = notPaused({ account: '', environment: 'staging' });

/** A store of a few rows without promises, in which every call is one commit. It is as fast as the simulation needs. */
export function createStore(now: () => number, decisions: Decisions, watcher: Watcher = {}) {
  const rows: Row[] = [];
  /** Each final row as it was when it got its line. */
  const log: Row[] = [];
  const unlogged = new Set<string>();
  const destinations: (BoundDestination & { pause: Pause; breakers: readonly Pause[] })[] = [];
  const kept = new Map<string, { readonly cursor: number; readonly done: boolean }>();

  const find = (id: string | undefined) => (id === undefined ? undefined : rows.find((row) => row.id === id));

  function put(next: Row): Row {
    const row = { ...next, blocked: decisions.isBlocked(next, find(next.waitsFor)) };
    const index = rows.findIndex(({ id }) => id === row.id);
    if (index < 0) rows.push(row);
    else rows[index] = row;
    for (let other = 0; other < rows.length; other += 1) {
      const waiting = rows[other] as Row;
      if (waiting.waitsFor !== row.id) continue;
      const blocked = decisions.isBlocked(waiting, row);
      if (blocked !== waiting.blocked) rows[other] = { ...waiting, blocked };
    }
    return row;
  }

  const known = (destination: Destination) => destinations.find((one) => isSame(one, destination));

  function bind({ account, environment, gateway }: BoundDestination): string {
    const there = known({ account, environment });
    if (!there) {
      const pause = notPaused(destinationScope({ account, environment }));
      destinations.push({ account, environment, gateway, pause, breakers: [] });
    }
    return there?.gateway ?? gateway;
  }

  function add(given: NewRow, at: number): Enqueued {
    const there = find(given.id);
    if (there) return { row: there, added: false };
    const bound = bind(given);
    if (bound !== given.gateway) throw otherGateway(given, bound);
    const { id, account, environment, operation, reference, waitsFor, body, fingerprint, excerpt } = given;
    const row: Row = {
      id,
      sequence: rows.length + 1,
      account,
      environment,
      operation,
      reference,
      waitsFor,
      blocked: false,
      body,
      fingerprint,
      excerpt,
      enqueuedAt: at,
      dueAt: at,
      changedAt: at,
      outcome: undefined,
      message: undefined,
      requestId: undefined,
      problem: undefined,
      decisions: [],
      state: 'waiting',
      fence: 0,
      attempts: 0,
      inDoubt: false,
      doubtBefore: false,
    };
    return { row: put(row), added: true };
  }

  function write(one: Write, at: number, tell = watcher.written): boolean {
    const row = find(one.id);
    if (!row || !decisions.isAsExpected(row, one.expected) || unlogged.has(row.id)) {
      if (row) watcher.fencedOff?.(one, row);
      return false;
    }
    if (rows.some((after) => after.waitsFor === row.id && decisions.mustStay(one.expected, after))) {
      watcher.stays?.(row);
      return false;
    }
    const { delayMs, keepBody, replacement, ...progress }: Change = one.change;
    const bytes = decisions.bytesAfter(row, { keepBody, replacement });
    const after = put({ ...row, ...progress, dueAt: at + delayMs, changedAt: at, ...bytes });
    if (after.state === 'recorded' || after.state === 'dismissed') unlogged.add(after.id);
    tell?.(one, row, after);
    return true;
  }

  /** The destinations whose rows a request may claim. */
  const openTo = ({ accounts, probe }: ClaimRequest) =>
    destinations.filter((one) => decisions.isServed(one, accounts) && decisions.mayTakeFrom(one.pause, probe));

  function claim(request: ClaimRequest, at: number): Row[] {
    const { limit, leaseMs, probe, without = [], untriedFirst, accounts } = request;
    const open = openTo(request);
    const isLeftOut = (row: Row) => without.some((one) => one.operation === row.operation && isSame(one, row));
    const isOpenTo = (row: Row) => open.some((one) => isSame(one, row)) && !isLeftOut(row);
    const isNext = (row: Row) => isOpenTo(row) && decisions.isClaimable(row, at);
    for (const row of rows.filter((row) => row.state === 'in-flight' && isNext(row)))
      if (decisions.isOpen(find(row.waitsFor)))
        write(decisions.takenFromWorker(row), at, (_, before) => watcher.takenFromWorker?.(before));
    const untried = untriedFirst ? rows.find((row) => row.fence === 0 && isNext(row)) : undefined;
    // A time too far in the future counts as past.
    const timeOf = (row: Row) => (row === untried || row.dueAt > at ? HEAD_OF_THE_QUEUE : row.dueAt);
    const taken: Row[] = [];
    const has = (account: string) =>
      (accounts.find((one) => one.account === account)?.busy ?? 0) +
      taken.filter((row) => row.account === account).length;
    while (taken.length < limit) {
      let next: Row | undefined;
      for (const row of rows) {
        if (!isNext(row) || taken.some(({ id }) => id === row.id)) continue;
        const fewer = next ? has(row.account) - has(next.account) : -1;
        if (fewer > 0) continue;
        if (
          fewer < 0 ||
          !next ||
          timeOf(row) < timeOf(next) ||
          (timeOf(row) === timeOf(next) && row.sequence < next.sequence)
        )
          next = row;
      }
      if (!next) {
        watcher.nothingLeft?.(rows.filter((row) => isOpenTo(row) && !taken.some(({ id }) => id === row.id)));
        break;
      }
      const after = put({ ...next, ...decisions.claimed(next), dueAt: at + leaseMs, changedAt: at });
      watcher.claimed?.(next, after, probe && (without.length > 0 ? 'operation' : 'destination'));
      taken.push(after);
    }
    return taken;
  }

  function nextInMs(destination: Destination, at: number): number | undefined {
    let next: number | undefined;
    for (const row of rows) {
      if (!isSame(row, destination) || !(row.state === 'in-flight' || (row.state === 'waiting' && !row.blocked)))
        continue;
      const inMs = decisions.isClaimable(row, at) ? Math.min(0, row.dueAt - at) : row.dueAt - at;
      if (next === undefined || inMs < next) next = inMs;
    }
    return next;
  }

  return {
    rows: rows as readonly Row[],
    get: find,
    log: log as readonly Row[],
    /** Adds a line for each final row that has none, as the outbox does from time to time. */
    appendLog(): void {
      for (const id of unlogged) log.push(find(id) as Row);
      unlogged.clear();
    },
    /** Saves the committed state. Returns a function that restores it. */
    snapshot(): () => void {
      const before = {
        rows: [...rows],
        kept: [...kept],
        log: [...log],
        unlogged: [...unlogged],
        destinations: destinations.map((one) => ({ ...one })),
      };
      return () => {
        rows.splice(0, rows.length, ...before.rows);
        kept.clear();
        for (const [id, one] of before.kept) kept.set(id, one);
        log.splice(0, log.length, ...before.log);
        unlogged.clear();
        for (const id of before.unlogged) unlogged.add(id);
        destinations.splice(0, destinations.length, ...before.destinations);
      };
    },
    /** Loses its destinations and breakers, with their bindings and pauses, or the breakers alone. */
    forget(onlyBreakers: boolean): void {
      const left = onlyBreakers ? destinations.map((one) => ({ ...one, breakers: [] })) : [];
      destinations.splice(0, destinations.length, ...left);
    },
    /** The pause of a whole destination. */
    pauseOf: (destination: Destination) => known(destination)?.pause ?? NEVER_PAUSED,
    /** The breaker of a report's operation. */
    breakerOf: (report: DestinationOperation) =>
      known(report)?.breakers.find(({ operation }) => operation === report.operation) ?? NEVER_PAUSED,
    bind: (given: readonly BoundDestination[]): string[] => given.map(bind),
    enqueue: (given: readonly NewRow[]): Enqueued[] => given.map((row) => add(row, now())),
    turn({ writes, claim: request }: Turn): TurnResult {
      const at = now();
      return {
        written: writes.map((one) => write(one, at)),
        claimed: request ? claim(request, at) : [],
        struck: destinations.flatMap(({ breakers }) => breakers.filter(isStruck)),
      };
    },
    /** A decision about many reports. */
    decisionOf: (id: string) => kept.get(id),
    keepDecision(id: string): void {
      if (!kept.has(id)) kept.set(id, { cursor: 0, done: false });
    },
    /** Makes a step of a decision. Undefined: another process has made it. */
    step({ id, from, to, done, writes }: Pick<DecisionStep, 'id' | 'from' | 'to' | 'done'> & Pick<Turn, 'writes'>) {
      const decision = kept.get(id);
      if (decision?.cursor !== from || decision.done) return undefined;
      kept.set(id, { cursor: to, done });
      const at = now();
      return writes.map((one) => write(one, at));
    },
    outlook(): DestinationState[] {
      const at = now();
      return destinations.map((one) => ({
        ...one,
        rebound: [],
        pause: { ...one.pause, remainingMs: one.pause.until - at },
        breakers: one.breakers.map((breaker) => ({ ...breaker, remainingMs: breaker.until - at })),
        nextInMs: nextInMs(one, at),
      }));
    },
    pause(change: PauseChange): boolean {
      const destination = known(change);
      if (!destination) return false;
      const { operation } = change;
      const breaker = destination.breakers.find((one) => one.operation === operation) ?? notPaused(change);
      const before = operation === undefined ? destination.pause : breaker;
      if (before.version !== change.version) return false;
      const pause = decisions.changePause(before, change, now());
      if (operation === undefined) destination.pause = pause;
      else destination.breakers = [...destination.breakers.filter((one) => one.operation !== operation), pause];
      return true;
    },
  };
}

export type Store = ReturnType<typeof createStore>;
