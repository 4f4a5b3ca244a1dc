import type { Channel } from '../delivery/channel.js';
import type { AnyReport } from '../delivery/frozen.js';
import { ConfigurationError, ValidationError } from '../errors/errors.js';
import { subjectOf } from '../platform/messages.js';
import { operationNames, operations } from '../protocol/operations.js';
import { issue } from '../schema/issue.js';
import { listIssues } from '../schema/validate.js';

/** Whether a function reports what only a backend knows, so that a page may not call it: every visitor could. */
export const isForBackendsOnly = (name: string): boolean => operationNames.some((operation) => operation === name && !operations[operation].browser);

/** The error of such a function, where a page called it. */
export const notInPages = (operation: string, caller: 'page' | 'relay'): ConfigurationError =>
  new ConfigurationError(
    `${operation} is never available ${caller === 'page' ? 'in a page' : 'through a relay'}. Nothing was sent. Call it from your backend.`,
    {
      operation,
    },
  );

/** Throws where no report can leave. Called before a payload is checked and before a player is asked, since neither would help. */
export function requireChannel(channel: Channel, operation: string): void {
  const problem = channel.problem();
  if (problem !== undefined) throw new ConfigurationError(`${operation}: ${problem}`, { operation });
}

/** The error of headers that were given with a report for an outbox. It sends later, with those of its client. */
export function headersOfLater({ operation, reference, environment }: AnyReport): ValidationError {
  const named = { operation, reference, environment };
  const issues = [issue(['headers'], 'unknown-field', 'an outbox sends with the headers of its client; give them to createClient')];
  return new ValidationError(`${subjectOf(named)}: ${listIssues(issues)}\nNothing was enqueued.`, { ...named, issues });
}
