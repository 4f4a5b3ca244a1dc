import type { Attributes, BatchObservableCallback, Meter } from '@opentelemetry/api';
import type { Outbox, OutboxStats } from '../outbox/interface.js';
import { systemClock, withTimeout } from '../platform/time.js';
import { DEFAULT_ACCOUNT, destinationAttributes, ENVIRONMENTS } from './attributes.js';
import { makeGauge } from './instruments.js';
import { quietly } from './quietly.js';

/** The longest time that a collection waits for a store. After it the store's values are missing, as if the process had ended. */
const LONGEST_MS = 5_000;

/** The map key of a destination. Account names contain no colon. */
const keyOf = ({ account, environment }: Pick<OutboxStats['paused'][number], 'account' | 'environment'>): string => `${account}:${environment}`;

/** Reads the store at each collection and sets the gauges. Returns a function that stops this. */
export function observeStats(meter: Meter, outbox: Pick<Outbox, 'stats'>): () => void {
  const gauges = { reports: makeGauge(meter, 'reports'), oldest: makeGauge(meter, 'oldest'), paused: makeGauge(meter, 'paused') };
  const all = Object.values(gauges);
  let asking: Promise<OutboxStats> | undefined;
  /** The paused accounts that have a name of their own. */
  const pausedBefore = new Map<string, Attributes>();

  /** A slow store is not queried again before it has answered. */
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
    // An account that was paused before goes back to 0.
    for (const [key, attributes] of pausedBefore) result.observe(gauges.paused, paused.some((one) => keyOf(one) === key) ? 1 : 0, attributes);
  };

  quietly(() => meter.addBatchObservableCallback(callback, all));
  return () => void quietly(() => meter.removeBatchObservableCallback(callback, all));
}
