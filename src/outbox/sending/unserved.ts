import { ConfigurationError } from '../../core/errors/errors.js';
import type { Events } from '../events.js';
import { keyOf } from '../rules/destination.js';
import type { OutboxSettings } from '../settings.js';
import type { Outlook } from '../store/store.js';

/**
 * The reason why reports wait for an environment to which this outbox sends nothing: its client has no gateway there.
 * Undefined if none wait.
 */
export function unservedReason(
  { account, environment, nextInMs }: Outlook,
  accounts: OutboxSettings['accounts'],
): string | undefined {
  const own = accounts.find((one) => one.account === account);
  if (nextInMs === undefined || environment === 'relay' || !own || own.gateways[environment] !== undefined)
    return undefined;
  return `Reports wait for ${environment} (account ${account}), and this outbox sends none there: ${own.internals.missing(environment)}`;
}

/** Tells once of each environment with such reports. Another process may send them, so the worker continues. */
export function watchUnserved({ accounts, logger }: Pick<OutboxSettings, 'accounts' | 'logger'>, events: Events) {
  const told = new Set<string>();
  return (outlooks: readonly Outlook[]): void => {
    for (const one of outlooks) {
      const message = unservedReason(one, accounts);
      if (message === undefined || told.has(keyOf(one))) continue;
      told.add(keyOf(one));
      logger.error(message);
      events.emit('error', { message, cause: new ConfigurationError(message) });
    }
  };
}
