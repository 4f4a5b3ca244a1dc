import type { Attributes, Meter } from '@opentelemetry/api';
import type { PauseReason } from '../outbox/destination.js';
import type { Outbox } from '../outbox/interface.js';
import { callAttributes, destinationAttributes, ENVIRONMENTS } from './attributes.js';
import { makeCounter, makeHistogram } from './instruments.js';
import { quietly } from './quietly.js';

const REPORTS = ['reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'] as const satisfies readonly (keyof Outbox)[];
const REASONS = [
  'authentication',
  'address',
  'rate-limited',
  'unavailable',
  'unreachable',
  'configuration',
  'refusals',
] as const satisfies readonly PauseReason[];

const pause = (environment: string, reason: PauseReason, account?: string): Attributes => ({
  ...destinationAttributes(environment, account),
  'location_sdk.pause.reason': reason,
});

/**
 * Counts the outbox's events. It catches every error of a listener. Returns a function that counts a report enqueued in
 * the user's own transaction: the outbox emits no event for it.
 */
export function countEvents(
  meter: Meter,
  { on }: Pick<Outbox, 'on'>,
): (operation: string, environment: string | undefined, account: string | undefined) => void {
  const counter = (name: Parameters<typeof makeCounter>[1]) => {
    const instrument = makeCounter(meter, name);
    return (attributes: Attributes, times = 1) => instrument.add(times, attributes);
  };
  const waits = makeHistogram(meter, 'waitDuration');
  const count = {
    enqueued: counter('enqueued'),
    recorded: counter('recorded'),
    quarantined: counter('quarantined'),
    decided: counter('decided'),
    locked: counter('locked'),
    late: counter('late'),
    pauses: counter('pauses'),
    storeErrors: counter('storeErrors'),
  };
  on('enqueued', ({ account, operation, environment }) => count.enqueued(callAttributes(operation, environment, account)));
  on('recorded', ({ account, operation, environment, outcome, waitedMs }) => {
    count.recorded({ ...callAttributes(operation, environment, account), 'location_sdk.outcome': outcome });
    waits.record(Math.max(0, waitedMs) / 1_000, callAttributes(operation, environment, account));
  });
  on('quarantined', ({ account, operation, environment, code }) =>
    count.quarantined({ ...callAttributes(operation, environment, account), 'error.type': code }),
  );
  on('decided', ({ account, operation, environment, action }) =>
    count.decided({ ...callAttributes(operation, environment, account), 'location_sdk.decision': action }),
  );
  on('locked', ({ account, operation, environment }) => count.locked(callAttributes(operation, environment, account)));
  on('late', ({ account, operation, environment }) => count.late(callAttributes(operation, environment, account)));
  // Each failed probe counts too, so that an alert on a rise goes on while the pause lasts.
  for (const type of ['paused', 'probe-failed'] as const) on(type, ({ account, environment, reason }) => count.pauses(pause(environment, reason, account)));
  on('error', () => count.storeErrors({}));
  // Counters for alerts start at 0: Prometheus does not count a first value of 1 as a rise.
  quietly(() => {
    count.storeErrors({}, 0);
    for (const environment of ENVIRONMENTS) {
      for (const reason of REASONS) count.pauses(pause(environment, reason), 0);
      for (const operation of REPORTS) count.locked(callAttributes(operation, environment), 0);
    }
  });
  return (operation, environment, account) => void quietly(() => count.enqueued(callAttributes(operation, environment, account)));
}
