import type { Attributes, BatchObservableCallback, Meter } from '@opentelemetry/api';
import { ENVIRONMENTS } from '../core/errors/errors.js';
import { systemClock, withTimeout } from '../core/platform/time.js';
import { reportNames } from '../core/protocol/operations.js';
import type { Outbox, OutboxStats } from '../outbox/interface.js';
import { DEFAULT_ACCOUNT, type DestinationOperation, PAUSE_REASONS } from '../outbox/rules/destination.js';
import { callAttributes, destinationAttributes, idAttributes, pauseAttributes } from './attributes.js';
import { makeCounter, makeGauge, makeHistogram, quietly } from './instruments.js';

const which = ({ account, operation, environment }: DestinationOperation) =>
  callAttributes(operation, environment, account);

/**
 * The outbox catches every error of a listener. Returns a function that counts a report enqueued in the user's own
 * transaction: the outbox emits no event for it.
 */
export function countEvents(meter: Meter, { on }: Pick<Outbox, 'on'>): (operation: string, id: string) => void {
  const counter = (name: Parameters<typeof makeCounter>[1]) => {
    const instrument = makeCounter(meter, name);
    return (attributes: Attributes, times = 1) => instrument.add(times, attributes);
  };
  const waits = makeHistogram(meter, 'waitDuration');
  const count = {
    enqueued: counter('enqueued'),
    recorded: counter('recorded'),
    quarantined: counter('quarantined'),
    conflicts: counter('conflicts'),
    decided: counter('decided'),
    locked: counter('locked'),
    late: counter('late'),
    pauses: counter('pauses'),
    storeErrors: counter('storeErrors'),
    wentBack: counter('wentBack'),
  };
  for (const type of ['enqueued', 'locked', 'late'] as const) on(type, (event) => count[type](which(event)));
  on('recorded', (event) => {
    count.recorded({ ...which(event), 'location_sdk.outcome': event.outcome });
    waits.record(Math.max(0, event.waitedMs) / 1_000, which(event));
  });
  on('quarantined', (event) => {
    count.quarantined({ ...which(event), 'error.type': event.code });
    if (event.code === 'conflict') count.conflicts(which(event));
  });
  // The accounts with a name are known by their reports only: their series begin at 0 with the first of these.
  for (const type of ['enqueued', 'recorded'] as const) on(type, (event) => count.conflicts(which(event), 0));
  on('decided', (event) => count.decided({ ...which(event), 'location_sdk.decision': event.action }));
  // Each failed probe counts too, so that an alert on a rise goes on while the pause lasts.
  for (const type of ['paused', 'probe-failed'] as const)
    on(type, ({ account, environment, reason }) => count.pauses(pauseAttributes(environment, reason, account)));
  on('error', ({ code }) => {
    if (code === 'went-back') count.wentBack({});
    else if (code === 'store' || code === 'stopped') count.storeErrors({});
  });
  // Counters for alerts start at 0: Prometheus does not count a first value of 1 as a rise.
  quietly(() => {
    count.storeErrors({}, 0);
    count.wentBack({}, 0);
    for (const environment of ENVIRONMENTS) {
      for (const reason of PAUSE_REASONS) count.pauses(pauseAttributes(environment, reason), 0);
      for (const operation of reportNames) {
        count.locked(callAttributes(operation, environment), 0);
        count.conflicts(callAttributes(operation, environment), 0);
      }
    }
  });
  return (operation, id) => void quietly(() => count.enqueued(idAttributes(operation, id)));
}

/** A collection waits this long for a store. Then the values are missing, as if the process had ended. */
const LONGEST_MS = 5_000;

type Paused = Pick<OutboxStats['paused'][number], 'account' | 'environment' | 'reason'>;

/** Account names contain no colon. */
const keyOf = ({ account, environment, reason }: Paused): string => `${account}:${environment}:${reason}`;

/** The pauses of the default account, which are always shown: as 1 or as 0. */
const ALWAYS: readonly Paused[] = ENVIRONMENTS.flatMap((environment) =>
  PAUSE_REASONS.map((reason) => ({ account: DEFAULT_ACCOUNT, environment, reason })),
);

export function observeStats(meter: Meter, outbox: Pick<Outbox, 'stats'>): void {
  const gauges = {
    reports: makeGauge(meter, 'reports'),
    pending: makeGauge(meter, 'pending'),
    refused: makeGauge(meter, 'refused'),
    oldest: makeGauge(meter, 'oldest'),
    paused: makeGauge(meter, 'paused'),
  };
  let asking: Promise<OutboxStats> | undefined;
  const pausedBefore = new Map<string, Paused>();

  /** A slow store is not queried again before it has answered. */
  const ask = () =>
    (asking ??= outbox.stats().finally(() => {
      asking = undefined;
    }));

  const callback: BatchObservableCallback = async (result) => {
    const asked = await withTimeout(ask, { clock: systemClock, milliseconds: LONGEST_MS });
    if (asked.ended !== 'done') return;
    const { states, destinations, refused, oldestOpenAt, paused } = asked.value;
    for (const [state, count] of Object.entries(states))
      result.observe(gauges.reports, count, { 'location_sdk.report.state': state });
    for (const { account, environment, isPending } of destinations)
      result.observe(gauges.pending, isPending ? 1 : 0, destinationAttributes(environment, account));
    result.observe(gauges.refused, refused);
    result.observe(
      gauges.oldest,
      oldestOpenAt === undefined ? 0 : Math.max(0, systemClock.now() - oldestOpenAt) / 1_000,
    );
    const now = new Set(paused.map(keyOf));
    for (const one of paused) if (one.account !== DEFAULT_ACCOUNT) pausedBefore.set(keyOf(one), one);
    // A reason that no longer holds goes back to 0, also for an account that was paused before.
    for (const one of [...ALWAYS, ...pausedBefore.values()])
      result.observe(
        gauges.paused,
        now.has(keyOf(one)) ? 1 : 0,
        pauseAttributes(one.environment, one.reason, one.account),
      );
  };

  quietly(() => meter.addBatchObservableCallback(callback, Object.values(gauges)));
}
