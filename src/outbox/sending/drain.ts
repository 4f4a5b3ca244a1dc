import {
  ConfigurationError,
  ENVIRONMENTS,
  type ErrorCode,
  makeError,
  type ReportingError,
} from '../../core/errors/errors.js';
import { LONGEST_TIMER_MS, withTimeout } from '../../core/platform/time.js';
import { checkOptions } from '../backend-options.js';
import type { Drained, Outbox } from '../interface.js';
import type { Lifecycle } from '../lifecycle.js';
import { type PauseReason, pauseKeyOf } from '../rules/destination.js';
import { isRarelyProbed, type Pause } from '../rules/pause.js';
import type { OutboxSettings } from '../settings.js';
import { toPublicPauses } from '../store/public-report.js';
import { type DestinationState, scanRows } from '../store/store.js';
import { ensureOwnGateways } from './bindings.js';
import type { Waiters } from './receipt-waiters.js';
import { unservedReason } from './watch-destinations.js';
import { countEnded } from './watch-lead.js';

/** How long `drain` waits by itself while a pause or a missing key holds every report that is left. */
const STANDSTILL_MS = 10_000;

/** The method `drain`: sends until no report is left that can be sent. */
export function drainMethod(
  settings: OutboxSettings,
  lifecycle: Lifecycle,
  waiters: Pick<Waiters, 'start'>,
): Outbox['drain'] {
  const { store, clock, pollMs } = settings;
  const served = settings.accounts.map(({ account }) => account);

  /** Waits until the worker is idle. If another tab leads, this one can only poll the counts. */
  async function untilIdle(signal: AbortSignal): Promise<void> {
    const leads = lifecycle.isWorking();
    await withTimeout(() => new Promise<void>((resolve) => (leads ? lifecycle.whenIdle(resolve) : undefined)), {
      clock,
      milliseconds: leads ? STANDSTILL_MS : pollMs,
      signal,
    });
  }

  /** Returns whether every report was sent. Rejects if all that are left stand still, and no time limit was given. */
  async function untilSent(over: AbortSignal, hasLimit: boolean): Promise<boolean> {
    const isOnlyRefused = createOnlyRefused(settings, served);
    await ensureOwnGateways(settings);
    lifecycle.wake();
    let ended = -1;
    let stoodSince = 0;
    while (!over.aborted) {
      await untilIdle(over);
      const { states } = await store.counts(served);
      if (states.waiting + states['in-flight'] === 0) return true;
      // The outbox was stopped in the meantime, so it no longer sends.
      if (!lifecycle.isStarted()) return false;
      if (states['in-flight'] > 0) continue;
      if (await isOnlyRefused()) return false;
      if (hasLimit) continue;
      const standstill = await standstillOf(settings, served);
      const now = countEnded(states);
      if (!standstill || now !== ended) [ended, stoodSince] = [now, clock.now()];
      else if (clock.now() - stoodSince >= STANDSTILL_MS) throw standstill;
    }
    return false;
  }

  return async (options = {}): Promise<Drained> => {
    checkOptions('drain', options);
    const { timeoutMs, signal } = options;
    const startedHere = !lifecycle.isStarted();
    lifecycle.start();
    const milliseconds = Math.min(LONGEST_TIMER_MS, timeoutMs ?? LONGEST_TIMER_MS);
    const result = await withTimeout((over) => untilSent(over, timeoutMs !== undefined), {
      clock,
      milliseconds,
      signal,
    });
    const isOurs = startedHere && lifecycle.isStarted();
    if (startedHere) await lifecycle.stop();
    // New promises of receipts wait again, as before the first start.
    if (isOurs) waiters.start();
    if (result.ended === 'failed') throw result.error;
    const { states } = await store.counts(served);
    const paused = toPublicPauses(await store.outlook(served));
    return { drained: result.ended === 'done' && result.value, states, paused };
  };
}

/** Finds out whether `drain` should end: the breaker is open, and each remaining report was tried and refused. */
function createOnlyRefused({ store, breakerAfter }: OutboxSettings, served: readonly string[]) {
  let seen = '';

  /** Whether each report was tried since its breaker opened. An earlier attempt may have failed for another reason. */
  async function wereTried(outlook: DestinationState, breakers: ReadonlyMap<string, Pause>): Promise<boolean> {
    const { account, environment } = outlook;
    for await (const row of scanRows(store, { account, environment, state: 'waiting' })) {
      const since = breakers.get(pauseKeyOf(row))?.since ?? Number.POSITIVE_INFINITY;
      if (!row.blocked && (row.fence === 0 || row.changedAt <= since)) return false;
    }
    return true;
  }

  return async (): Promise<boolean> => {
    const outlooks = await store.outlook(served);
    const open = outlooks.filter(({ nextInMs }) => nextInMs !== undefined);
    const rare = outlooks.flatMap(({ breakers }) => breakers.filter((one) => isRarelyProbed(one, breakerAfter)));
    if (rare.length === 0 || open.length === 0 || open.some(({ pause }) => pause.reason !== undefined)) return false;
    // The lists are read only once for each probe, even if the worker is idle several times.
    const versions = rare.map((pause) => `${pauseKeyOf(pause)} ${pause.version}`).join();
    if (versions === seen) return false;
    seen = versions;
    const breakers = new Map(rare.map((pause) => [pauseKeyOf(pause), pause]));
    for (const outlook of open) if (!(await wereTried(outlook, breakers))) return false;
    return true;
  };
}

const CODES: Readonly<Record<PauseReason, ErrorCode>> = {
  authentication: 'authentication',
  address: 'configuration',
  configuration: 'configuration',
  'rate-limited': 'rate-limited',
  unavailable: 'gateway',
  unreachable: 'network',
  refusals: 'unprocessable',
};

const ADVICE =
  'The reports wait in the outbox. Correct the cause, and call drain again; drain({ timeoutMs }) waits that long for the end of a pause.';

/**
 * The reason why waiting reports cannot leave: the pause of their environment, an environment to which this outbox
 * sends nothing, or a missing encryption key. Undefined if there is none.
 */
async function standstillOf(
  { store, accounts }: OutboxSettings,
  served: readonly string[],
): Promise<ReportingError | undefined> {
  for (const outlook of await store.outlook(served)) {
    const unserved = unservedReason(outlook, accounts);
    if (unserved !== undefined) return new ConfigurationError(`drain: ${unserved} ${ADVICE}`, { outcome: 'unknown' });
    const { account, environment, pause, nextInMs } = outlook;
    const { reason, message = '' } = pause;
    if (reason === undefined || nextInMs === undefined) continue;
    return makeError(
      CODES[reason],
      `drain: sending to ${environment} (account ${account}) is paused (${reason}). ${message} ${ADVICE}`,
      // Among several reports one may be in doubt.
      { environment: ENVIRONMENTS.find((one) => one === environment), outcome: 'unknown', retryable: true },
    );
  }
  const [key] = await store.missingKeys(served);
  if (key === undefined) return undefined;
  return new ConfigurationError(`drain: the encryption key ${key} is missing. ${ADVICE}`, { outcome: 'unknown' });
}
