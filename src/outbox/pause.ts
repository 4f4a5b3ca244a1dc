import type { Destination } from './destination.js';
import { type Ending, LONGEST_WAIT_MS, type OutboxEnvironment } from './record.js';

/**
 * Why nothing is sent to an environment: the key was refused (401), the rate limit is reached (429), the gateway is
 * unavailable (503) or cannot be reached, or a setting is missing or wrong.
 */
export type PauseReason = 'authentication' | 'rate-limited' | 'unavailable' | 'unreachable' | 'configuration';

/** Whether an environment is paused, as all workers of a store see it. */
export interface Pause {
  /** The account that it is about. */
  readonly account: string;
  /** The environment that it is about. */
  readonly environment: OutboxEnvironment;
  /** Counts the changes; 0 before the first. Whoever saw an older one changes nothing. */
  readonly version: number;
  /** Undefined: not paused. */
  readonly reason: PauseReason | undefined;
  /** What happened, in a sentence without secrets. */
  readonly message: string | undefined;
  /** When it began, by the store's clock. */
  readonly since: number;
  /** How often it was found closed in a row. */
  readonly strikes: number;
  /** When one report may be sent as a probe, by the store's clock. */
  readonly until: number;
  /** The same as milliseconds from now; not above 0 once it is time. */
  readonly remainingMs: number;
}

/** What an environment's pause becomes, if its version is still the one that was seen. */
export interface PauseChange {
  /** The account that it is about. */
  readonly account: string;
  /** The environment that it is about. */
  readonly environment: OutboxEnvironment;
  /** The version that was seen. */
  readonly version: number;
  /** Why, in a word to branch on. */
  readonly reason: PauseReason | undefined;
  /** Why, in words. */
  readonly message: string | undefined;
  /** How often in a row. */
  readonly strikes: number;
  /** Milliseconds from now until the next probe. */
  readonly forMs: number;
  /** Whether the pause goes on from one that there was: `since` stays. */
  readonly continues: boolean;
}

/** What a person makes of a pause whose cause is mended: nothing is left of it. */
export const liftPause = ({ account, environment, version }: Pick<Pause, 'account' | 'environment' | 'version'>): PauseChange => ({
  account,
  environment,
  version,
  reason: undefined,
  message: undefined,
  strikes: 0,
  forMs: 0,
  continues: false,
});

const BASE_MS = 1_000;
const CAP_MS = 60_000;

/** Half of it is jitter: workers that were turned away together should not probe together, nor at once. */
const backoff = (strikes: number, random: () => number) => (0.5 + random() / 2) * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(30, strikes - 1));

/**
 * What the end of an attempt makes of its environment's pause; undefined where it says nothing. `probe` is the version
 * of the pause that the attempt was sent to probe: only a probe lifts a pause, since others may have left before it.
 */
export function pausedBy(seen: Pause, ending: Ending, probe: number | undefined, random: () => number): PauseChange | undefined {
  const isProbe = probe !== undefined && probe === seen.version;
  const { account, environment, version } = seen;
  const reason = ending.kind === 'recorded' ? undefined : ending.pause;
  if (reason === undefined && !isProbe) return undefined;
  if (reason === undefined && isAnswer(ending)) return liftPause(seen);

  const asked = ending.kind === 'recorded' ? undefined : ending.retryAfterMs;
  const paused = seen.reason !== undefined;
  // Those that were under way when it was paused say nothing new, unless the gateway asks for more time.
  if (paused && !isProbe && !(asked !== undefined && asked > seen.remainingMs)) return undefined;
  const strikes = paused && !isProbe ? seen.strikes : seen.strikes + 1;
  const message = ending.kind === 'recorded' || reason === undefined ? seen.message : ending.problem.message;
  return {
    account,
    environment,
    version,
    reason: reason ?? seen.reason,
    message,
    strikes,
    forMs: Math.min(LONGEST_WAIT_MS, asked ?? backoff(strikes, random)),
    continues: paused,
  };
}

/** Whether the gateway answered at all: silence does not lift a pause. */
const isAnswer = (ending: Ending) => ending.kind === 'recorded' || ending.kind !== 'failed' || ending.problem.status !== undefined;

/** Whether it is time for a probe. A time too far ahead is the mark of a clock that jumped. */
export const isProbeDue = ({ reason, remainingMs }: Pause): boolean => reason !== undefined && (remainingMs <= 0 || remainingMs > LONGEST_WAIT_MS);

/** Takes the probe: for the time of a lease nobody else does, and after that the next one may, should this worker be gone. */
export const probeTaken = ({ account, environment, version, reason, message, strikes }: Pause, leaseMs: number): PauseChange => ({
  account,
  environment,
  version,
  reason,
  message,
  strikes,
  forMs: leaseMs,
  continues: true,
});

/** The pause that there is before the first one. */
export const notPaused = ({ account, environment }: Destination): Pause => ({
  account,
  environment,
  version: 0,
  reason: undefined,
  message: undefined,
  since: 0,
  strikes: 0,
  until: 0,
  remainingMs: 0,
});

/** A pause after a change, at a time of the store's. */
export const changePause = (before: Pause, { account, environment, reason, message, strikes, forMs, continues }: PauseChange, now: number): Pause => ({
  account,
  environment,
  version: before.version + 1,
  reason,
  message,
  since: continues ? before.since : now,
  strikes,
  until: now + forMs,
  remainingMs: forMs,
});
