import type { Attributes, BatchObservableCallback, Meter } from '@opentelemetry/api';
import type { Outbox, OutboxStats } from '../outbox/interface.js';
import { systemClock, withTimeout } from '../platform/time.js';
import { DEFAULT_ACCOUNT, destinationAttributes, ENVIRONMENTS } from './attributes.js';
import { makeGauge } from './instruments.js';
import { quietly } from './quietly.js';

/** A collection waits no longer for a store; it then has no values of it, as if the process were gone. */
const LONGEST_MS = 5_000;

/** One text for each destination: no account holds a colon. */
const keyOf = ({ account, environment }: Pick<OutboxStats['paused'][number], 'account' | 'environment'>): string => `${account}:${environment}`;

/** Asks the store at each collection and tells the gauges. Returns how to stop. */
export function observeStats(meter: Meter, outbox: Pick<Outbox, 'stats'>): () => void {
  const gauges = { reports: makeGauge(meter, 'reports'), oldest: makeGauge(meter, 'oldest'), paused: makeGauge(meter, 'paused') };
  const all = Object.values(gauges);
  let asking: Promise<OutboxStats> | undefined;
  /** Of accounts with a name of their own: those that were paused. */
  const pausedBefore = new Map<string, Attributes>();

  /** A store that is slow is not asked again before it has answered. */
  const ask = () => {
    asking ??= outbox.stats().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  const callback: BatchObservableCallback = async (result) => {
    const asked = await withTimeout(ask, { clock: systemClock, milliseconds: LONGEST_MS });
    if (asked.ended !== 'done') return;
    const { states, oldestOpenAt, paused } = asked.value;
    for (const [state, count] of Object.entries(states)) result.observe(gauges.reports, count, { 'location_sdk.report.state': state });
    result.observe(gauges.oldest, oldestOpenAt === undefined ? 0 : Math.max(0, systemClock.now() - oldestOpenAt) / 1_000);
    for (const environment of ENVIRONMENTS) {
      const isPaused = paused.some((one) => one.environment === environment && one.account === DEFAULT_ACCOUNT);
      result.observe(gauges.paused, isPaused ? 1 : 0, destinationAttributes(environment));
    }
    for (const { environment, account } of paused)
      if (account !== DEFAULT_ACCOUNT) pausedBefore.set(keyOf({ account, environment }), destinationAttributes(environment, account));
    // One that was paused before goes back to 0.
    for (const [key, attributes] of pausedBefore) result.observe(gauges.paused, paused.some((one) => keyOf(one) === key) ? 1 : 0, attributes);
  };

  quietly(() => meter.addBatchObservableCallback(callback, all));
  return () => void quietly(() => meter.removeBatchObservableCallback(callback, all));
}
