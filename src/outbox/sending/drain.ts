import { isReportingError } from '../../core/errors/errors.js';
import { LONGEST_TIMER_MS, withTimeout } from '../../core/platform/time.js';
import type { Drained, Outbox } from '../interface.js';
import type { Lifecycle } from '../lifecycle.js';
import { checkOptions } from '../method-options.js';
import type { OutboxSettings } from '../settings.js';
import { toPublicPauses } from '../store/public-report.js';
import { ensureOwnGateways } from './bindings.js';
import { createOnlyRefused } from './only-refused.js';
import { standstillOf } from './standstill.js';

/** How long `drain` waits by itself while a pause or a missing key holds every report that is left. */
const STANDSTILL_MS = 10_000;

/** The method `drain`: sends until no report is left that can be sent. */
export function drainMethod(settings: OutboxSettings, lifecycle: Lifecycle): Outbox['drain'] {
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
    const isOnlyRefused = createOnlyRefused(settings);
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
      const standstill = await standstillOf(settings);
      const final = states.recorded + states.quarantined + states.dismissed;
      if (!standstill || final !== ended) [ended, stoodSince] = [final, clock.now()];
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
    if (startedHere) await lifecycle.stop();
    if (result.ended === 'failed' && isReportingError(result.error)) throw result.error;
    const { states } = await store.counts(served);
    const paused = toPublicPauses(await store.outlook(served));
    return { drained: result.ended === 'done' && result.value, states, paused };
  };
}
