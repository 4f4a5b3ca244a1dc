import type { Logger } from '../platform/logger.js';
import { seconds, subjectOf } from '../platform/messages.js';
import type { Events } from './events.js';

/** Writes a debug line for each wait between two attempts, as a client does. */
export function logWaits({ on }: Pick<Events, 'on'>, { debug }: Required<Logger>): void {
  on('delayed', ({ environment, code, delayMs, ...report }) => {
    const subject = subjectOf({ ...report, environment: environment === 'relay' ? undefined : environment });
    debug(`${subject}: the next attempt begins in ${seconds(delayMs)} at the earliest (${code})`);
  });
}
