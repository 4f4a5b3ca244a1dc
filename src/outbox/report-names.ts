import { ValidationError } from '../errors.js';
import { type Operation, operations } from '../operations.js';
import type { Given } from './enqueue.js';

const NAMES = Object.values<Operation>(operations).flatMap(({ name, reference }): string[] => (reference ? [name] : []));

/** A report that is named rather than given to a method of its name: a name can be misspelled. Throws a `ValidationError`. */
export function named(given: Given): Given {
  if (typeof given !== 'object' || given === null) throw refused('', 'expected an object with operation and payload');
  const { operation, payload, options } = given;
  if (NAMES.includes(operation)) return { operation, payload, options };
  throw refused('operation', `expected ${NAMES.slice(0, -1).join(', ')} or ${NAMES.at(-1)}`);
}

/** What was given is not shown: it may be anything. */
const refused = (path: string, message: string) =>
  new ValidationError(`${path || 'A report'}: ${message}. Nothing was stored or sent.`, { issues: [{ path, code: 'invalid', message }] });
