import { ValidationError } from '../core/errors/errors.js';
import { operationNames } from '../core/protocol/operations.js';
import {
  having,
  isAnything,
  isString,
  must,
  type OptionTable,
  oneOf,
  optional,
  readOptions,
  required,
} from '../core/schema/option-rules.js';
import type { OutboxEvents } from './events.js';
import { OUTBOX_ENVIRONMENTS } from './rules/destination.js';
import { ROW_STATES } from './rules/state-machine.js';

/** A record, so that the compiler finds an event that is missing here. */
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
const isEnvironment = oneOf(...OUTBOX_ENVIRONMENTS);
const environment = optional(isEnvironment);
const anything = optional(isAnything);
const timeoutMs = optional(must('a number of milliseconds from 0', (value) => typeof value === 'number' && value >= 0));
const signal = optional(having('addEventListener', 'removeEventListener'));
const narrowing = {
  state: optional(oneOf(...ROW_STATES)),
  environment,
  operation: optional(oneOf(...operationNames)),
  reference: optional(isString),
};

/** The options of each method of an outbox. The methods check values for which a table has no rule. */
const TABLES = {
  stop: { timeoutMs },
  drain: { timeoutMs, signal },
  list: { ...narrowing, after: anything, limit: anything },
  iterate: { ...narrowing, after: anything },
  retry: { reason: anything },
  resolve: { as: anything, reason: anything },
  reopen: { reason: anything },
  exportReceipts: { from: anything },
  reconcile: { operation: anything, environment: anything },
  prune: { olderThanDays: anything, keepReceipts: anything, onProgress: anything, signal },
} as const satisfies Record<string, OptionTable>;

const ofReport = {
  id: required(
    must('the id of a report, with which the method that enqueued it resolved', (id) => typeof id === 'string'),
  ),
};
/** The names that a method takes as an argument. */
const NAMES = {
  get: ofReport,
  retry: ofReport,
  resolve: ofReport,
  replace: ofReport,
  reopen: ofReport,
  on: { event: required(oneOf(...Object.keys(EVENTS))) },
  resume: { environment: required(isEnvironment) },
} as const satisfies Record<string, OptionTable>;

const refuse = (method: string, problem: string, issues: ValidationError['issues']) =>
  new ValidationError(`${problem}\nNothing was done.`, { operation: method, issues, outcome: 'not-sent' });

/** Throws a `ValidationError` for a name or value that the options of a method cannot have. */
export function checkOptions(method: keyof typeof TABLES, options: unknown): void {
  const read = readOptions(method, TABLES[method], options);
  if (read.problem !== undefined) throw refuse(method, read.problem, read.issues);
}

/** Throws a `ValidationError` for an id that is not a text, or an event or an environment that does not exist. */
export function checkName(
  method: keyof typeof NAMES,
  argument: { readonly event: unknown } | { readonly environment: unknown } | { readonly id: unknown },
): void {
  const read = readOptions(method, NAMES[method], argument);
  if (read.problem === undefined) return;
  const wrong = read.issues.map(({ path, message }) => `${path}: ${message}.`);
  throw refuse(method, `${method}: ${wrong.join(' ')}`, read.issues);
}
