import type { Destination, OutboxEnvironment, PauseReason } from './destination.js';
import { type Change, type Ending, LONGEST_WAIT_MS } from './state-machine.js';

export type { PauseReason };

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
  /** Refusals and failed probes in a row, with nothing recorded between them; refusals count before the pause, too. */
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
const backoff = (strikes: number, random: () => number) => (0.5 + random() / 2) * Math.min(CAP_MS, BASE_MS * 2 ** (strikes - 1));

/** An attempt that ended, and what its row would become. `probe` is the version of the pause that it was sent to probe. */
export interface AttemptEnd {
  readonly ending: Ending;
  readonly change: Pick<Change, 'state'>;
  readonly probe: number | undefined;
}

/** How pauses are decided. */
export interface PauseRules {
  readonly random: () => number;
  /** After how many refusals in a row the destination pauses. */
  readonly breakerAfter: number;
}

/** Whether an answer would condemn its report. A report that is found damaged before it is sent has no answer. */
export const isRefusal = ({ ending, change }: Pick<AttemptEnd, 'ending' | 'change'>): boolean =>
  change.state === 'quarantined' && ending.kind !== 'recorded' && ending.problem.status !== undefined;

/**
 * Whether a refusal may condemn its report. After too many in a row it may not: the gateway may refuse every report,
 * whatever is in it. During a pause only the probe's answer counts.
 */
export const mayCondemn = ({ reason, version, strikes }: Pause, probe: number | undefined, { breakerAfter }: Pick<PauseRules, 'breakerAfter'>): boolean =>
  strikes < breakerAfter && (reason === undefined || probe === version);

/** A refusal that does not condemn: the report waits, and the attempt does not count. What the answer says about doubt stays. */
export const postponed = (ending: Ending): Ending => (ending.kind === 'recorded' ? ending : { ...ending, kind: 'failed', pause: 'refusals' });

/** Whether the end of an attempt may change the pause of its destination; `struck`: whether strikes are known there. */
export const concernsPause = (end: AttemptEnd, struck: boolean): boolean =>
  end.probe !== undefined || (end.change.state === 'recorded' ? struck : isRefusal(end) || (end.ending.kind !== 'recorded' && end.ending.pause !== undefined));

/**
 * What the end of an attempt makes of its destination's pause; undefined where it says nothing. Only a probe that is
 * recorded lifts a pause, since other attempts may have left before it.
 */
export function pausedBy(seen: Pause, end: AttemptEnd, { random, breakerAfter }: PauseRules): PauseChange | undefined {
  const { ending, change, probe } = end;
  const isProbe = probe === seen.version;
  const paused = seen.reason !== undefined;
  if (ending.kind === 'recorded' || change.state === 'recorded') return isProbe || (!paused && seen.strikes > 0) ? liftPause(seen) : undefined;

  const { pause, problem, retryAfterMs = 0 } = ending;
  const refused = isRefusal(end);
  if (!isProbe && pause === undefined && (paused || !refused)) return undefined;
  // Attempts that were under way when it was paused say nothing new, unless the gateway asks for more time.
  if (!isProbe && paused && retryAfterMs <= seen.remainingMs) return undefined;
  const strikes = paused && !isProbe ? seen.strikes : seen.strikes + 1;
  const found = pause ?? (refused && strikes >= breakerAfter ? 'refusals' : undefined);
  const reason = found ?? seen.reason;
  const { account, environment, version } = seen;
  if (reason === undefined) return { ...liftPause(seen), strikes };
  const failures = reason === 'refusals' ? Math.max(1, strikes - breakerAfter + 1) : strikes;
  return {
    account,
    environment,
    version,
    reason,
    message: found === undefined ? seen.message : problem.message,
    strikes,
    // Never less than the backoff asks, whatever the gateway asks.
    forMs: Math.min(LONGEST_WAIT_MS, Math.max(retryAfterMs, backoff(failures, random))),
    continues: paused,
  };
}

/** Whether it is time for a probe. A time too far ahead is the mark of a clock that jumped. */
export const isProbeDue = ({ reason, remainingMs }: Pause): boolean => reason !== undefined && (remainingMs <= 0 || remainingMs > LONGEST_WAIT_MS);

/**
 * Whether a probe takes a report that was never tried. Behind the breaker every other one does: a new report does not wait
 * until all that were refused are refused again, and a stream of new ones does not keep those waiting.
 */
export const isForUntried = ({ reason, strikes }: Pick<Pause, 'reason' | 'strikes'>): boolean => reason === 'refusals' && strikes % 2 === 0;

/** Whether the breaker's probes have become as rare as they get: all of them were refused, for more than a minute by now. */
export const isRarelyProbed = ({ reason, strikes }: Pick<Pause, 'reason' | 'strikes'>, breakerAfter: number): boolean =>
  reason === 'refusals' && BASE_MS * 2 ** (strikes - breakerAfter) >= CAP_MS;

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
