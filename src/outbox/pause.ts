import { LARGEST_COUNT } from './counts.js';
import { type Destination, isBreaker, type PauseReason } from './destination.js';
import { type Change, type Ending, LONGEST_WAIT_MS } from './state-machine.js';
import { isCounter, isTime } from './stored-row.js';

const REASONS: readonly PauseReason[] = ['authentication', 'address', 'rate-limited', 'unavailable', 'unreachable', 'configuration', 'refusals'];

/** Whether an environment is paused, as all workers of a store see it. */
export interface Pause {
  /** The account that it is about. */
  readonly account: string;
  /** The environment that it is about, or the name of a breaker. */
  readonly environment: Destination['environment'];
  /** Counts the changes; 0 before the first. Whoever saw an older one changes nothing. */
  readonly version: number;
  /** Undefined: not paused. */
  readonly reason: PauseReason | undefined;
  /** What happened, in a sentence without secrets. */
  readonly message: string | undefined;
  /** When it began, by the store's clock. */
  readonly since: number;
  /** Failed probes in a row. Of a breaker: strikes and failed probes in a row, with nothing of its operation recorded between them, also before the pause. */
  readonly strikes: number;
  /** When one report may be sent as a probe, by the store's clock. */
  readonly until: number;
  /** The same as milliseconds from now; not above 0 once it is time. */
  readonly remainingMs: number;
}

/** A pause as a store reads it: no part of it has been checked yet. */
export type StoredPause = Destination & { readonly [Name in Exclude<keyof Pause, keyof Destination | 'remainingMs'>]?: unknown };

/**
 * The pause that a store has read. A part that no store writes counts as 0; a reason that cannot be read pauses until the
 * next report is recorded. Writing the next change mends both.
 */
export function readPause({ account, environment, version, reason, message, since, strikes, until }: StoredPause, now: number): Pause {
  const count = (value: unknown) => (isCounter(value) ? value : 0);
  const time = (value: unknown) => (isTime(value) ? value : 0);
  const ends = time(until);
  return {
    account,
    environment,
    version: count(version),
    reason: reason === null || reason === undefined ? undefined : (REASONS.find((known) => known === reason) ?? 'unavailable'),
    message: typeof message === 'string' ? message : undefined,
    since: time(since),
    strikes: count(strikes),
    until: ends,
    remainingMs: ends - now,
  };
}

/** What an environment's pause becomes, if its version is still the one that was seen. */
export interface PauseChange {
  /** The account that it is about. */
  readonly account: string;
  /** The environment that it is about, or the name of a breaker. */
  readonly environment: Destination['environment'];
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

/** An attempt that ended, and what its row would become. `probe` is the version of the pause that it was sent to probe, if it is this one. */
export interface AttemptEnd {
  readonly ending: Ending;
  readonly change: Pick<Change, 'state'>;
  readonly probe: number | undefined;
}

/** How pauses are decided. */
export interface PauseRules {
  readonly random: () => number;
  /** After how many strikes in a row an operation pauses. */
  readonly breakerAfter: number;
}

/** Whether an answer would condemn its report. A report that is found damaged before it is sent has no answer. */
export const isRefusal = ({ ending, change }: Pick<AttemptEnd, 'ending' | 'change'>): boolean =>
  change.state === 'quarantined' && ending.kind !== 'recorded' && ending.problem.status !== undefined;

/**
 * Whether an answer is a strike for the breaker of its operation: one that would condemn the report, and one that is not
 * the gateway's own and says nothing else of the destination.
 */
export const isStrike = (end: Pick<AttemptEnd, 'ending' | 'change'>): boolean =>
  isRefusal(end) || (end.ending.kind !== 'recorded' && end.ending.foreign === true);

/**
 * Whether a refusal may condemn its report, as its destination's pause and its operation's breaker each say. After too many
 * strikes in a row it may not: the gateway may refuse every report, whatever is in it. During a pause only the probe's
 * answer counts.
 */
export const mayCondemn = (seen: Pause, probe: number | undefined, { breakerAfter }: Pick<PauseRules, 'breakerAfter'>): boolean =>
  (!isBreaker(seen) || seen.strikes < breakerAfter) && (seen.reason === undefined || probe === seen.version);

/** A refusal that does not condemn: the report waits, and the attempt does not count. What the answer says about doubt stays. */
export const postponed = (ending: Ending): Ending => (ending.kind === 'recorded' ? ending : { ...ending, kind: 'failed', pause: 'refusals' });

/** Whether the end of an attempt may change a pause; `struck`: whether strikes of its operation are known. */
export const concernsPause = (end: AttemptEnd, struck: boolean): boolean =>
  end.probe !== undefined || (end.change.state === 'recorded' ? struck : isStrike(end) || (end.ending.kind !== 'recorded' && end.ending.pause !== undefined));

/**
 * What the end of an attempt makes of its destination's pause, or of its operation's breaker; undefined where it says nothing.
 * Only a probe that is recorded lifts a pause, since other attempts may have left before it.
 *
 * A breaker counts one operation alone. Counted for the whole destination, each recorded bet would end the strikes of
 * settlements that are all refused, and every one of them would be quarantined; and paused as a whole, the bets would wait
 * for the settlements.
 */
export function pausedBy(seen: Pause, end: AttemptEnd, { random, breakerAfter }: PauseRules): PauseChange | undefined {
  const { ending, change, probe } = end;
  const isProbe = probe === seen.version;
  const paused = seen.reason !== undefined;
  if (ending.kind === 'recorded' || change.state === 'recorded') return isProbe || (!paused && seen.strikes > 0) ? liftPause(seen) : undefined;

  const { problem, retryAfterMs = 0 } = ending;
  const pause = isBreaker(seen) ? undefined : ending.pause;
  const isCounted = isBreaker(seen) && isStrike(end);
  if (!isProbe && pause === undefined && (paused || !isCounted)) return undefined;
  // Attempts that were under way when it was paused say nothing new, unless the gateway asks for more time.
  if (!isProbe && paused && retryAfterMs <= seen.remainingMs) return undefined;
  const strikes = paused && !isProbe ? seen.strikes : Math.min(seen.strikes + 1, LARGEST_COUNT);
  const found = pause ?? (isCounted && strikes >= breakerAfter ? 'refusals' : undefined);
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

/** Gives back a probe that found no report to send, so that the next report does not wait for the rest of the lease. */
export const probeGivenBack = (taken: Pause, forMs: number): PauseChange => ({ ...probeTaken(taken, forMs), version: taken.version + 1 });

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
  // Begins anew at its end: a damaged one must not run out of its column's range.
  version: (before.version % LARGEST_COUNT) + 1,
  reason,
  message,
  since: continues ? before.since : now,
  strikes,
  until: now + forMs,
  remainingMs: forMs,
});
