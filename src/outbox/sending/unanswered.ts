import type { Events } from '../events.js';
import { keyOf } from '../rules/destination.js';
import type { Ending, Row } from '../rules/state-machine.js';

/** Fewer may be an outage while the process starts. */
const MANY = 5;

/**
 * Tells once if a destination has answered no attempt of this worker. Each report is in doubt, so nothing pauses, and
 * the cause may lie in the process.
 */
export function watchUnanswered(events: Events) {
  const counts = new Map<string, number>();
  return (row: Row, ending: Ending): void => {
    const key = keyOf(row);
    if (ending.kind === 'recorded' || ending.problem.status !== undefined) {
      counts.set(key, Number.POSITIVE_INFINITY);
      return;
    }
    const { outcome, problem } = ending;
    // Otherwise nothing was sent, and a pause says why, or this process has cut the attempt.
    if (outcome !== 'unknown' || problem.code === 'aborted') return;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count !== MANY) return;
    events.emit('error', {
      message: `No attempt for ${row.environment} was ever answered by the gateway; ${MANY} were made. Their reports are in doubt, and the outbox tries again. The last attempt: ${problem.message} If other programs on this machine reach the gateway, look at what replaces the global fetch, or pass nodeTransport() as transport.`,
      cause: problem,
    });
  };
}
