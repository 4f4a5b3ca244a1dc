import { ConfigurationError } from '../../core/errors/errors.js';
import { seconds } from '../../core/platform/messages.js';
import type { Events } from '../events.js';
import { keyOf } from '../rules/destination.js';
import type { Ending, Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import type { DestinationState } from '../store/store.js';

/** Fewer may be an outage while the process starts. */
const UNANSWERED_BEFORE_ERROR = 5;
/** An outage of a minute is not an incident, and the attempt that finds its end comes within ten seconds. */
const LONGEST_FAILING_MS = 80_000;

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

/** Tells of each destination that gets no reports, answers none or records none, although nothing pauses it. */
export function watchDestinations(
  { accounts, clock, retry }: Pick<OutboxSettings, 'accounts' | 'clock' | 'retry'>,
  events: Pick<Events, 'emit'>,
) {
  const unserved = new Set<string>();
  const answered = new Set<string>();
  /** The attempts in doubt of this worker that followed each other, with no recorded report between them. */
  const failing = new Map<string, { readonly since: number; last: number; count: number; isTold: boolean }>();
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
    /** After an attempt in doubt nothing pauses, and if none is answered, the cause may lie in the process. */
    tellFailing(row: Row, ending: Ending): void {
      const key = keyOf(row);
      if (ending.kind === 'recorded' || ending.problem.status !== undefined) answered.add(key);
      if (ending.kind === 'recorded') {
        failing.delete(key);
        return;
      }
      const { outcome, problem } = ending;
      // Otherwise a pause says why, or this process has cut the attempt.
      if (outcome !== 'unknown' || ending.pause || problem.code === 'aborted') return;
      const now = clock.now();
      const before = failing.get(key);
      // After a longer gap than that of two attempts, the earlier reports have ended, maybe in another process.
      const failures =
        before && now - before.last <= 2 * retry.capMs ? before : { since: now, last: now, count: 0, isTold: false };
      failing.set(key, failures);
      failures.last = now;
      failures.count += 1;
      const { count, since, isTold } = failures;
      const neverAnswered = !answered.has(key);
      const isEarly = neverAnswered && count >= UNANSWERED_BEFORE_ERROR;
      if (isTold || (!isEarly && now - since < LONGEST_FAILING_MS)) return;
      failures.isTold = true;
      const { account, environment } = row;
      const tried = `${count} were made. Their reports are in doubt, and the outbox tries again. The last attempt: ${problem.message}`;
      events.emit('error', {
        message: neverAnswered
          ? `No attempt for ${environment} (account ${account}) was ever answered by the gateway; ${tried} If other programs on this machine reach the gateway, look at what replaces the global fetch, or pass nodeTransport() as transport.`
          : `No attempt of this process for ${environment} (account ${account}) has recorded a report for ${seconds(LONGEST_FAILING_MS)}; ${tried}`,
        cause: problem,
      });
    },
  };
}
