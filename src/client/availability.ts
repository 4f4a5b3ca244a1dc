import type { Channel } from '../delivery/channel.js';
import type { AnyReport } from '../delivery/frozen.js';
import { ConfigurationError, ValidationError } from '../errors/errors.js';
import { subjectOf } from '../platform/messages.js';
import { operationNames, operations } from '../protocol/operations.js';
import { issue } from '../schema/issue.js';
import { listIssues } from '../schema/validate.js';

/** Whether a function reports data that only a backend has. A page may not call it, since every visitor could. */
export const isForBackendsOnly = (name: string): boolean => operationNames.some((operation) => operation === name && !operations[operation].browser);

/** The error when a page calls one of them. */
export const notInPages = (operation: string, caller: 'page' | 'relay'): ConfigurationError =>
  new ConfigurationError(
    `${operation} is never available ${caller === 'page' ? 'in a page' : 'through a relay'}. Nothing was sent. Call it from your backend.`,
    {
      operation,
    },
  );

/** Throws if no report can be sent. It runs before the payload is checked and before the player is asked: neither would help. */
export function requireChannel(channel: Channel, operation: string): void {
  const problem = channel.problem();
  if (problem !== undefined) throw new ConfigurationError(`${operation}: ${problem}`, { operation });
}

/** The error for headers passed with a report for an outbox. The outbox sends later, with the headers of its client. */
export function headersOfLater({ operation, reference, environment }: AnyReport): ValidationError {
  const named = { operation, reference, environment };
  const issues = [issue(['headers'], 'unknown-field', 'an outbox sends with the headers of its client; pass them to createClient')];
  return new ValidationError(`${subjectOf(named)}: ${listIssues(issues)}\nNothing was enqueued.`, { ...named, issues });
}
