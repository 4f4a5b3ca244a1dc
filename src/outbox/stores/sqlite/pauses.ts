import { changePause, notPaused, type Pause, type PauseChange } from '../../pause.js';
import { ENVIRONMENTS, LONGEST_WAIT_MS, type OutboxEnvironment } from '../../record.js';
import type { Outlook } from '../../store.js';
import type { Connection } from './database.js';
import { FIRST_DUE, LAST_DUE } from './rows.js';

/** Whether environments are paused, and what there is to do for them. */
export function createPauses({ first, run }: Connection) {
  function read(environment: OutboxEnvironment, now: number): Pause {
    const found = first('SELECT version, reason, message, since, strikes, until FROM outbox_pauses WHERE environment = ?', environment);
    if (!found) return notPaused(environment);
    return {
      environment,
      version: Number(found.version),
      reason: (found.reason ?? undefined) as Pause['reason'],
      message: (found.message ?? undefined) as Pause['message'],
      since: Number(found.since),
      strikes: Number(found.strikes),
      until: Number(found.until),
      remainingMs: Number(found.until) - now,
    };
  }

  /** A time too far ahead, of a clock that jumped, counts as past; so does one that cannot be read. */
  function nextInMs(environment: OutboxEnvironment, now: number): number | undefined {
    const [next, last] = [first(FIRST_DUE, environment), first(LAST_DUE, environment)];
    if (!next || !last) return undefined;
    const wait = Number(next.due_at) - now;
    return Number(last.due_at) <= now + LONGEST_WAIT_MS ? wait : 0;
  }

  return {
    open: (now: number): OutboxEnvironment[] => ENVIRONMENTS.filter((environment) => read(environment, now).reason === undefined),
    outlook: (now: number): Outlook[] =>
      ENVIRONMENTS.map((environment) => ({ environment, pause: read(environment, now), nextInMs: nextInMs(environment, now) })),
    hasDue: (environments: readonly OutboxEnvironment[], now: number): boolean => environments.some((environment) => (nextInMs(environment, now) ?? 1) <= 0),
    change(change: PauseChange, now: number): boolean {
      const before = read(change.environment, now);
      if (before.version !== change.version) return false;
      const { environment, version, reason, message, since, strikes, until } = changePause(before, change, now);
      run(
        'INSERT OR REPLACE INTO outbox_pauses (environment, version, reason, message, since, strikes, until) VALUES (?, ?, ?, ?, ?, ?, ?)',
        environment,
        version,
        reason ?? null,
        message ?? null,
        since,
        strikes,
        until,
      );
      return true;
    },
  };
}
