import type { Channel } from '../delivery/channel.js';
import { ConfigurationError } from '../errors/errors.js';

/** The error of a function that every visitor could call if a page could. */
export const forBackends = (operation: string, inPage: boolean): ConfigurationError =>
  new ConfigurationError(`${operation} is never available ${inPage ? 'in a page' : 'through a relay'}. Nothing was sent. Call it from your backend.`, {
    operation,
  });

/** Throws where no report can leave. Asked before a payload is checked and before a player is asked, since neither would help. */
export function requireWay(channel: Channel, operation: string): void {
  const problem = channel.problem();
  if (problem !== undefined) throw new ConfigurationError(`${operation}: ${problem}`, { operation });
}
