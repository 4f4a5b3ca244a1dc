import {
  type DestinationOperation,
  operationScope,
  PAUSE_REASONS,
  type PauseReason,
  type PauseScope,
  pauseKeyOf,
} from './destination.js';
import { type Change, type Ending, isOutage, LARGEST_COUNT, LONGEST_WAIT_MS, OUTAGE_CAP_MS } from './state-machine.js';

/** The pause of a destination, or the breaker of one of its operations. All workers of a store share it. */
export interface Pause extends PauseScope {
  /** The number of changes; 0 before the first. A change that was decided from an older version is not made. */
  readonly version: number;
  /** Undefined: not paused. */
  readonly reason: PauseReason | undefined;
  /** The reason in a sentence, without secrets. */
  readonly message: string | undefined;
  /** When the attempt ended that the reason and the message are of, by the store's clock. */
  readonly triedAt: number;
  /** When it began, by the store's clock. */
  readonly since: number;
  /**
   * Failed probes in a row. Of a breaker: its strikes and failed probes since its operation last recorded a report,
   * also before the pause.
   */
  readonly strikes: number;
  /** When the next probe may be sent, by the store's clock. */
  readonly until: number;
  /** Milliseconds until the next probe. 0 or less: a probe is due. */
  readonly remainingMs: number;
}

/** A pause as a database reads it. */
export type StoredPause = PauseScope &
  Pick<Pause, 'version' | 'since' | 'strikes' | 'until'> & {
    readonly tried_at: number;
    readonly reason?: string | null | undefined;
    readonly message?: string | null | undefined;
  };

/** The pause that a database has read. A reason that this version does not know pauses, too. */
export const readPause = (
  { version, reason, message, tried_at: triedAt, since, strikes, until, ...scope }: StoredPause,
  now: number,
): Pause => ({
  ...operationScope(scope),
  version,
  reason: typeof reason === 'string' ? (PAUSE_REASONS.find((known) => known === reason) ?? 'unavailable') : undefined,
  message: message ?? undefined,
  triedAt,
  since,
  strikes,
  until,
  remainingMs: until - now,
});

/** A change of a pause. It is made only if the pause still has the version that was seen. */
export interface PauseChange extends PauseScope, Pick<Pause, 'version' | 'reason' | 'message' | 'strikes'> {
  /** Milliseconds from now until the next probe. */
  readonly forMs: number;
  /** Whether an existing pause continues: `since` stays. */
  readonly continues: boolean;
  /** Whether an existing pause keeps its reason and message, which no attempt has found again: `triedAt` stays. */
  readonly repeats: boolean;
}

export const endPause = ({ version, ...scope }: PauseScope & Pick<Pause, 'version'>): PauseChange => ({
  ...operationScope(scope),
  version,
  reason: undefined,
  message: undefined,
  strikes: 0,
  forMs: 0,
  continues: false,
  repeats: false,
});

const BASE_MS = 1_000;
const CAP_MS = 60_000;
/** Half of the wait is jitter, so that workers do not probe together. */
const backoff = (strikes: number, capMs: number, random: () => number) =>
  (0.5 + random() / 2) * Math.min(capMs, BASE_MS * 2 ** (strikes - 1));

/** An attempt that ended, and the change that it would make to its row. */
export interface AttemptEnd {
  readonly ending: Ending;
  readonly change: Pick<Change, 'state'>;
  /** The version of the pause, if the attempt was its probe. */
  readonly probe: number | undefined;
}

interface PauseRules {
  readonly random: () => number;
  /** The number of strikes in a row after which an operation pauses. */
  readonly breakerAfter: number;
}

export const isBreaker = ({ operation }: Pick<Pause, 'operation'>): boolean => operation !== undefined;

/** Whether an answer would quarantine its report. A damaged report is quarantined without an answer. */
export const isRefusal = ({ ending, change }: Pick<AttemptEnd, 'ending' | 'change'>): boolean =>
  change.state === 'quarantined' && ending.kind !== 'recorded' && ending.problem.status !== undefined;

/** Whether an answer is a strike for the breaker of its operation: it would quarantine the report, or is foreign. */
export const isStrike = (end: Pick<AttemptEnd, 'ending' | 'change'>): boolean =>
  isRefusal(end) || (end.ending.kind !== 'recorded' && end.ending.foreign === true);

/**
 * Whether a refusal may quarantine its report: its pause and its breaker must both allow it. A breaker forbids it after
 * too many strikes in a row, since the gateway may refuse every report. During a pause only the probe's answer counts.
 */
export const mayQuarantine = (
  seen: Pause,
  probe: number | undefined,
  { breakerAfter }: Pick<PauseRules, 'breakerAfter'>,
): boolean =>
  (!isBreaker(seen) || seen.strikes < breakerAfter) && (seen.reason === undefined || probe === seen.version);

/** A refusal that does not quarantine: the report waits, and the attempt does not count. */
export const postponed = (ending: Ending): Ending =>
  ending.kind === 'recorded'
    ? ending
    : { ...ending, kind: 'failed', pause: 'refusals', problem: { ...ending.problem, postponed: true } };

/** Whether the end of an attempt may change a pause. `struck`: whether its operation has strikes. */
export const concernsPause = (end: AttemptEnd, struck: boolean): boolean =>
  end.probe !== undefined ||
  (end.change.state === 'recorded'
    ? struck
    : isStrike(end) || (end.ending.kind !== 'recorded' && end.ending.pause !== undefined));

/**
 * The change of a pause or a breaker after an attempt. Undefined if nothing changes. Only a recorded probe ends a pause,
 * or a refused one an outage, since other attempts may have been sent before the pause.
 *
 * A breaker counts the strikes of one operation alone: otherwise each recorded bet would reset the strikes of the
 * settlements, and a pause for the settlements would also stop the bets.
 */
export function pausedBy(seen: Pause, end: AttemptEnd, { random, breakerAfter }: PauseRules): PauseChange | undefined {
  const { ending, change, probe } = end;
  const isProbe = probe === seen.version;
  const paused = seen.reason !== undefined;
  if (ending.kind === 'recorded' || change.state === 'recorded')
    return isProbe || (!paused && seen.strikes > 0) ? endPause(seen) : undefined;
  // The gateway answers again, and the breaker of the operation counts its refusal.
  if (isProbe && isOutage(seen.reason) && isRefusal(end)) return endPause(seen);

  const { problem, retryAfterMs = 0, counts } = ending;
  const pause = isBreaker(seen) ? undefined : ending.pause;
  const isCounted = isBreaker(seen) && isStrike(end);
  if (!isProbe && pause === undefined && (paused || !isCounted)) return undefined;
  // An attempt from before the pause brings nothing new, unless the gateway asks for a longer wait.
  if (!isProbe && paused && retryAfterMs <= seen.remainingMs) return undefined;
  const strikes = paused && !isProbe ? seen.strikes : Math.min(seen.strikes + 1, LARGEST_COUNT);
  const found = pause ?? (isCounted && strikes >= breakerAfter ? 'refusals' : undefined);
  // A probe that was given back unsent says nothing about the gateway.
  const isHeard = isProbe && counts !== false && !isBreaker(seen);
  const { status } = problem;
  const failure = status === undefined ? 'unreachable' : status < 500 ? undefined : 'unavailable';
  const reason = found ?? (isHeard ? failure : undefined) ?? seen.reason;
  if (reason === undefined) return { ...endPause(seen), strikes };
  // Many pages share a relay, and none knows of the others' probes. A probe without an answer has waited already.
  const outageMs = isProbe && problem.code === 'timeout' ? BASE_MS : OUTAGE_CAP_MS;
  const capMs = isOutage(reason) && seen.environment !== 'relay' ? outageMs : CAP_MS;
  // The pause of the destination has its own message.
  const repeats = paused && (counts === false || (!found && ending.pause !== undefined));
  const failures = reason === 'refusals' ? Math.max(1, strikes - breakerAfter + 1) : strikes;
  return {
    ...operationScope(seen),
    version: seen.version,
    reason,
    message: repeats ? seen.message : problem.message,
    strikes,
    forMs: Math.min(LONGEST_WAIT_MS, Math.max(retryAfterMs, backoff(failures, capMs, random))),
    continues: paused,
    repeats,
  };
}

/**
 * The change of a pause or a breaker by several ends, in their order, and for each of them whether its refusal may
 * quarantine.
 */
export function countEnds(
  seen: Pause,
  ends: readonly AttemptEnd[],
  rules: PauseRules,
): { readonly change: PauseChange | undefined; readonly allowed: readonly boolean[] } {
  let pause = seen;
  let change: PauseChange | undefined;
  const allowed = ends.map((end) => {
    const before = pause;
    const next = pausedBy(before, end, rules);
    if (next) {
      pause = changePause(before, next, 0);
      change = {
        ...next,
        version: seen.version,
        continues: next.continues && (change?.continues ?? true),
        repeats: next.repeats && (change?.repeats ?? true),
      };
    }
    return mayQuarantine(before, end.probe, rules);
  });
  return { change, allowed };
}

/** Whether a probe is due, also if its time is too far ahead: then a clock has jumped. */
export const isProbeDue = ({ reason, remainingMs }: Pause): boolean =>
  reason !== undefined && (remainingMs <= 0 || remainingMs > LONGEST_WAIT_MS);

/**
 * Whether a probe takes a report that was never tried: every second one of an open breaker. So neither new nor refused
 * reports wait for all of the others.
 */
export const isForUntried = ({ reason, strikes }: Pick<Pause, 'reason' | 'strikes'>): boolean =>
  reason === 'refusals' && strikes % 2 === 0;

/** Whether the probes of a breaker have reached their longest interval: all were refused, for more than a minute. */
export const isRarelyProbed = ({ reason, strikes }: Pick<Pause, 'reason' | 'strikes'>, breakerAfter: number): boolean =>
  reason === 'refusals' && BASE_MS * 2 ** (strikes - breakerAfter) >= CAP_MS;

/** Takes the probe for the time of a lease. After that, another worker may take it. */
export const probeTaken = ({ version, reason, message, strikes, ...scope }: Pause, leaseMs: number): PauseChange => ({
  ...operationScope(scope),
  version,
  reason,
  message,
  strikes,
  forMs: leaseMs,
  continues: true,
  repeats: true,
});

/** Gives a probe back that found no report. Otherwise the next report would wait for the end of the lease. */
export const probeReturned = (taken: Pause, forMs: number): PauseChange => ({
  ...probeTaken(taken, forMs),
  version: taken.version + 1,
});

/** The pauses that a worker has seen: a hint, since the store decides. */
export type SeenPauses = readonly Pick<Pause, keyof PauseScope | 'reason' | 'strikes'>[];

export const seenWith = (seen: SeenPauses, pause: SeenPauses[number]): SeenPauses => [
  ...seen.filter((one) => pauseKeyOf(one) !== pauseKeyOf(pause)),
  pause,
];

/** The seen pauses with the closed breakers that have strikes, as the last turn found them. */
export const withStruck = (seen: SeenPauses, struck: SeenPauses): SeenPauses => [
  ...seen.filter((one) => !isStruck(one)),
  ...struck,
];

export const heldBy = (seen: SeenPauses): readonly DestinationOperation[] =>
  seen.flatMap(({ account, environment, operation, reason }) =>
    operation && reason !== undefined ? [{ account, environment, operation }] : [],
  );

/** Whether a breaker is closed and has strikes, which a success resets. */
export const isStruck = ({ reason, strikes }: Pick<Pause, 'reason' | 'strikes'>): boolean =>
  reason === undefined && strikes > 0;

export const hasStrikes = (seen: SeenPauses, breaker: PauseScope): boolean =>
  seen.some((one) => pauseKeyOf(one) === pauseKeyOf(breaker) && isStruck(one));

export const notPaused = (scope: PauseScope): Pause => ({
  ...operationScope(scope),
  version: 0,
  reason: undefined,
  message: undefined,
  triedAt: 0,
  since: 0,
  strikes: 0,
  until: 0,
  remainingMs: 0,
});

export const changePause = (
  before: Pause,
  { reason, message, strikes, forMs, continues, repeats, ...scope }: PauseChange,
  now: number,
): Pause => ({
  ...operationScope(scope),
  // It starts again, so that a damaged one stays in the range of its column.
  version: (before.version % LARGEST_COUNT) + 1,
  reason,
  message,
  triedAt: repeats ? before.triedAt : now,
  since: continues ? before.since : now,
  strikes,
  until: now + forMs,
  remainingMs: forMs,
});
