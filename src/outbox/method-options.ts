import { ValidationError } from '../core/errors/errors.js';
import { must, type OptionTable, oneOf, optional, readOptions, required } from '../core/schema/option-rules.js';
import type { OutboxEvents } from './events.js';

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

export const isTimeLimit = must('a number of milliseconds from 0', (value) => typeof value === 'number' && value >= 0);
export const isReportId = must('the id of a report, as enqueue gave it', (id) => typeof id === 'string');

const refuse = (method: string, problem: string, issues: ValidationError['issues']) =>
  new ValidationError(`${problem}\nNothing was done.`, { operation: method, issues, outcome: 'not-sent' });

/**
 * A check of methods' options by their tables. It throws a `ValidationError` for a name or value that they cannot have.
 */
export const optionsCheck =
  <Method extends string>(tables: Readonly<Record<Method, OptionTable>>) =>
  (method: Method, options: unknown): void => {
    const read = readOptions(method, tables[method], options);
    if (read.problem !== undefined) throw refuse(method, read.problem, read.issues);
  };

/**
 * A check of methods' first arguments. It throws a `ValidationError` for an id that is not a text, or an event or an
 * environment that does not exist.
 */
export const argumentCheck =
  <Method extends string>(tables: Readonly<Record<Method, OptionTable>>) =>
  (method: Method, argument: Readonly<Record<string, unknown>>): void => {
    const read = readOptions(method, tables[method], argument);
    if (read.problem === undefined) return;
    const wrong = read.issues.map(({ path, message }) => `${path}: ${message}.`);
    throw refuse(method, `${method}: ${wrong.join(' ')}`, read.issues);
  };

/** The options of the methods that every outbox has. */
export const checkSharedOptions = optionsCheck({ stop: { timeoutMs: optional(isTimeLimit) } });

/** The arguments of the methods that every outbox has. */
export const checkSharedArgument = argumentCheck({
  get: { id: required(isReportId) },
  on: { event: required(oneOf(...Object.keys(EVENTS))) },
});
