import { ConfigurationError } from '../../core/errors/errors.js';
import type { Events } from '../events.js';
import { keyOf } from '../rules/destination.js';
import type { Ending, Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import type { DestinationState } from '../store/store.js';

/** Fewer may be an outage while the process starts. */
const UNANSWERED_BEFORE_ERROR = 5;

/**
 * The reason why reports wait for an environment to which this outbox sends nothing: its client has no gateway there.
 * Undefined if none wait.
 */
export function unservedReason(
  { account, environment, nextInMs }: DestinationState,
  accounts: OutboxSettings['accounts'],
): string | undefined {
  const own = accounts.find((one) => one.account === account);
  if (nextInMs === undefined || environment === 'relay' || !own || own.gateways[environment] !== undefined)
    return undefined;
  return `Reports wait for ${environment} (account ${account}), and this outbox sends none there: ${own.internals.missing(environment)}`;
}

/** Tells once of each destination that gets no reports, or answers none, although nothing pauses it. */
export function watchDestinations({ accounts }: Pick<OutboxSettings, 'accounts'>, events: Events) {
  const unserved = new Set<string>();
  /** The attempts of this worker that were not answered. Infinite after an answer. */
  const unanswered = new Map<string, number>();
  return {
    /** Another process may send the reports that this one does not, so the worker continues. */
    tellUnserved(outlooks: readonly DestinationState[]): void {
      for (const one of outlooks) {
        const message = unservedReason(one, accounts);
        if (message === undefined || unserved.has(keyOf(one))) continue;
        unserved.add(keyOf(one));
        events.emit('error', { message, cause: new ConfigurationError(message) });
      }
    },
    /** Each report without an answer is in doubt, so nothing pauses, and the cause may lie in the process. */
    tellUnanswered(row: Row, ending: Ending): void {
      const key = keyOf(row);
      if (ending.kind === 'recorded' || ending.problem.status !== undefined) {
        unanswered.set(key, Number.POSITIVE_INFINITY);
        return;
      }
      const { outcome, problem } = ending;
      // Otherwise nothing was sent, and a pause says why, or this process has cut the attempt.
      if (outcome !== 'unknown' || problem.code === 'aborted') return;
      const count = (unanswered.get(key) ?? 0) + 1;
      unanswered.set(key, count);
      if (count !== UNANSWERED_BEFORE_ERROR) return;
      events.emit('error', {
        message: `No attempt for ${row.environment} was ever answered by the gateway; ${count} were made. Their reports are in doubt, and the outbox tries again. The last attempt: ${problem.message} If other programs on this machine reach the gateway, look at what replaces the global fetch, or pass nodeTransport() as transport.`,
        cause: problem,
      });
    },
  };
}
