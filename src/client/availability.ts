import type { Channel } from '../delivery/channel.js';
import type { AnyReport } from '../delivery/frozen-report.js';
import { AbortedError, ConfigurationError } from '../errors/errors.js';
import { subjectOf } from '../platform/messages.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import { operationNames, operations } from '../protocol/operations.js';

/** Whether a function reports data that only a backend has. A page may not call it, since every visitor could. */
export const isForBackendsOnly = (name: string): boolean =>
  operationNames.some((operation) => operation === name && !operations[operation].browser);

export const notInPages = (operation: string, caller: 'page' | 'relay'): ConfigurationError =>
  new ConfigurationError(
    `${operation} is never available ${caller === 'page' ? 'in a page' : 'through a relay'}. Nothing was sent. Call it from your backend.`,
    { operation },
  );

/**
 * Throws if no report can be sent. It runs before the payload is checked and before the player is asked: neither would
 * help.
 */
export function requireChannel(channel: Channel, operation: string): void {
  const problem = channel.problem();
  if (problem !== undefined) throw new ConfigurationError(`${operation}: ${problem}`, { operation });
}

/**
 * Throws if the signal of a report for an outbox was aborted before its commit. After the commit the signal has no
 * effect.
 */
export function refuseAborted(
  { operation, reference, environment }: AnyReport,
  signal: AbortSignalLike | undefined,
): void {
  const named = { operation, reference, environment };
  const subject = subjectOf(named);
  try {
    if (!signal?.aborted) return;
  } catch {
    throw new ConfigurationError(`${subject}: the signal that you passed threw an error. Nothing was enqueued.`, named);
  }
  throw new AbortedError(`${subject}: cancelled by its signal. Nothing was enqueued.`, named);
}
