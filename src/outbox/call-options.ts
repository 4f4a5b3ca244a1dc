import { type ErrorOutcome, ValidationError } from '../errors/errors.js';
import { operationNames } from '../protocol/operations.js';
import type { Field } from '../schema/fields.js';
import { having, isAnything, isString, must, type OptionTable, oneOf, optional, readOptions } from '../schema/option-rules.js';
import type { OutboxEvents } from './events.js';
import type { RowState } from './state-machine.js';

/** Every event, every state and every environment of an outbox. */
const EVENTS: Record<keyof OutboxEvents, true> = {
  enqueued: true,
  recorded: true,
  delayed: true,
  locked: true,
  quarantined: true,
  decided: true,
  logged: true,
  late: true,
  paused: true,
  'probe-failed': true,
  resumed: true,
  error: true,
};
const STATES: Record<RowState, true> = { waiting: true, 'in-flight': true, recorded: true, quarantined: true, dismissed: true };
const environment = optional(oneOf('staging', 'production', 'relay'));
const anything = optional(isAnything);
const timeoutMs = optional(must('a number of milliseconds from 0', (value) => typeof value === 'number' && value >= 0));
const signal = optional(having('addEventListener', 'removeEventListener'));
const narrowing = { state: optional(oneOf(...Object.keys(STATES))), environment, operation: optional(oneOf(...operationNames)), reference: optional(isString) };

/** The options of each method of an outbox. The methods check values for which a table has no rule. */
const TABLES = {
  stop: { timeoutMs },
  drain: { timeoutMs, signal },
  list: { ...narrowing, after: anything, limit: anything },
  iterate: { ...narrowing, after: anything },
  retry: { reason: anything },
  resolve: { as: anything, reason: anything },
  exportReceipts: { from: anything },
  reconcile: { operation: anything, environment: anything },
  prune: { olderThanDays: anything, keepReceipts: anything, onProgress: anything, signal },
} as const satisfies Record<string, OptionTable>;

/** The words of a method's argument that is a name. */
const WORDS: Record<'on' | 'resume', Field> = { on: oneOf(...Object.keys(EVENTS)), resume: oneOf('staging', 'production', 'relay') };

const refuse = (method: string, problem: string, issues: ValidationError['issues'], outcome: ErrorOutcome = 'not-sent') =>
  new ValidationError(`${problem}\nNothing was done.`, { operation: method, issues, outcome });

/** Throws a `ValidationError` for a name or value that the options of a method cannot have. */
export function checkOptions(method: keyof typeof TABLES, options: unknown): void {
  const read = readOptions(method, TABLES[method], options);
  if (read.problem !== undefined) throw refuse(method, read.problem, read.issues);
}

/** Throws a `ValidationError` for an event or an environment that does not exist. */
export function checkName(method: keyof typeof WORDS, name: unknown): void {
  const read = readOptions(method, { name: optional(WORDS[method]) }, { name: name ?? '' });
  if (read.problem !== undefined) throw refuse(method, read.problem, read.issues);
}
