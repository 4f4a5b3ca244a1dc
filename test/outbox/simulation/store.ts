import { notPaused, type Pause, type PauseChange } from '../../../src/outbox/pause.js';
import { type Change, LONGEST_WAIT_MS, type OutboxEnvironment, type Row } from '../../../src/outbox/record.js';
import type { ClaimRequest, Enqueued, NewRow, Outlook, Turn, TurnResult, Write } from '../../../src/outbox/store.js';
import type { Decisions } from './decisions.js';

/** Who looks at everything that is committed. */
export interface Watcher {
  claimed?(before: Row, after: Row, probe: boolean): void;
  written?(write: Write, before: Row, after: Row): void;
  fencedOff?(write: Write, row: Row): void;
}

const ENVIRONMENTS: readonly OutboxEnvironment[] = ['staging', 'production'];

/** A store of a few rows whose every call is one commit, without promises: as fast as a simulation wants it. */
export function createStore(now: () => number, decisions: Decisions, watcher: Watcher = {}) {
  const rows: Row[] = [];
  const pauses: Record<OutboxEnvironment, Pause> = { staging: notPaused('staging'), production: notPaused('production'), relay: notPaused('relay') };

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

  function add(given: NewRow, at: number): Enqueued {
    const there = find(given.id);
    if (there) return { row: there, added: false };
    const { id, environment, operation, reference, waitsFor, body, fingerprint } = given;
    const row: Row = {
      id,
      sequence: rows.length + 1,
      environment,
      operation,
      reference,
      waitsFor,
      blocked: false,
      body,
      fingerprint,
      enqueuedAt: at,
      dueAt: at,
      changedAt: at,
      outcome: undefined,
      message: undefined,
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

  function write(one: Write, at: number): boolean {
    const row = find(one.id);
    if (!row || !decisions.isAsExpected(row, one.expected)) {
      if (row) watcher.fencedOff?.(one, row);
      return false;
    }
    const { delayMs, keepBody, ...progress }: Change = one.change;
    const after = put({ ...row, ...progress, dueAt: at + delayMs, changedAt: at, body: keepBody ? row.body : undefined });
    watcher.written?.(one, row, after);
    return true;
  }

  function claim({ limit, leaseMs, probe }: ClaimRequest, at: number): Row[] {
    const taken: Row[] = [];
    while (taken.length < limit) {
      let next: Row | undefined;
      for (const row of rows) {
        const open = probe === undefined ? pauses[row.environment].reason === undefined : row.environment === probe;
        if (!open || taken.some(({ id }) => id === row.id) || !decisions.isClaimable(row, at)) continue;
        if (!next || row.dueAt < next.dueAt || (row.dueAt === next.dueAt && row.sequence < next.sequence)) next = row;
      }
      if (!next) break;
      const after = put({ ...next, ...decisions.claimed(next), dueAt: at + leaseMs, changedAt: at });
      watcher.claimed?.(next, after, probe !== undefined);
      taken.push(after);
    }
    return taken;
  }

  function nextInMs(environment: OutboxEnvironment, at: number): number | undefined {
    let next: number | undefined;
    for (const row of rows) {
      if (row.environment !== environment || !(row.state === 'in-flight' || (row.state === 'waiting' && !row.blocked))) continue;
      const inMs = row.dueAt > at + LONGEST_WAIT_MS ? 0 : row.dueAt - at;
      if (next === undefined || inMs < next) next = inMs;
    }
    return next;
  }

  return {
    rows: rows as readonly Row[],
    get: find,
    /** Keeps what is committed; returns how to go back to it. */
    snapshot(): () => void {
      const kept = { rows: [...rows], pauses: { ...pauses } };
      return () => {
        rows.splice(0, rows.length, ...kept.rows);
        Object.assign(pauses, kept.pauses);
      };
    },
    pauseOf: (environment: OutboxEnvironment) => pauses[environment],
    enqueue: (given: readonly NewRow[]): Enqueued[] => given.map((row) => add(row, now())),
    turn({ writes, claim: request }: Turn): TurnResult {
      const at = now();
      return { written: writes.map((one) => write(one, at)), claimed: request ? claim(request, at) : [] };
    },
    outlook(): Outlook[] {
      const at = now();
      return ENVIRONMENTS.map((environment) => {
        const pause = pauses[environment];
        return { environment, pause: { ...pause, remainingMs: pause.until - at }, nextInMs: nextInMs(environment, at) };
      });
    },
    pause(change: PauseChange): boolean {
      const before = pauses[change.environment];
      if (before.version !== change.version) return false;
      pauses[change.environment] = decisions.changePause(before, change, now());
      return true;
    },
  };
}

export type Store = ReturnType<typeof createStore>;
