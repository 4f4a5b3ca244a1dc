import type { Logger } from '../core/platform/logger.js';
import { seconds, subjectOf } from '../core/platform/messages.js';
import type { Events } from './events.js';
import { DEFAULT_ACCOUNT, type PauseScope } from './rules/destination.js';

/**
 * Logs what a person must know, so that no program needs a listener for it, and each wait between two attempts at
 * debug.
 */
export function logEvents({ on }: Pick<Events, 'on'>, { debug, info, warn, error }: Required<Logger>): void {
  on('delayed', ({ code, delayMs, ...report }) =>
    debug(`${subjectOf(report)}: the next attempt begins in ${seconds(delayMs)} at the earliest (${code})`),
  );
  const ofAccount = (account: string) => (account === DEFAULT_ACCOUNT ? '' : ` of the account ${account}`);
  const routes = ({ account, environment, operation }: PauseScope) =>
    `${operation ? ` of the operation ${operation}` : ''} to ${environment}${ofAccount(account)}`;
  for (const type of ['paused', 'probe-failed'] as const)
    on(type, ({ reason, message, forMs, ...scope }) =>
      warn(
        `The outbox sends nothing${routes(scope)} for now (${reason}); the reports wait, and none is lost. It tries one report in ${seconds(forMs)}. ${message ?? ''}`.trim(),
      ),
    );
  on('resumed', (scope) => info(`The outbox sends reports${routes(scope)} again.`));
  on('quarantined', ({ account, message }) => error(`A report${ofAccount(account)} needs a person. ${message}`));
  on('error', ({ message }) => error(message));
}
