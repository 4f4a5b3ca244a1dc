import { ValidationError } from '../errors.js';
import { type Operation, operations } from '../operations.js';
import type { Given } from './enqueue.js';

const NAMES = Object.values<Operation>(operations).flatMap(({ name, reference }): string[] => (reference ? [name] : []));

/** Takes a report that is named rather than given to the method of its name, since a name can be misspelled. Throws a `ValidationError`. */
export function readNamed(given: Given): Given {
  if (typeof given !== 'object' || given === null) throw refused('', 'expected an object with operation and payload');
  const { operation, payload, options } = copyMembers(given);
  if (NAMES.includes(operation)) return { operation, payload, options };
  throw refused('operation', `expected ${NAMES.slice(0, -1).join(', ')} or ${NAMES.at(-1)}`);
}

/** Throws a `ValidationError` where something else than a list of reports is given: of that, none would be enqueued, and nobody told. */
export function checkList(reports: readonly Given[]): void {
  if (!Array.isArray(reports)) throw refused('', 'expected an array of reports, each with operation and payload');
}

function copyMembers(given: Given): Given {
  try {
    return { ...given };
  } catch {
    throw refused('', 'could not be read: a getter or proxy threw');
  }
}

/** What was given is not shown: it may be anything. */
const refused = (path: string, message: string) =>
  new ValidationError(`${path || 'report'}: ${message}. Nothing was stored or sent.`, { issues: [{ path, code: 'invalid', message }] });
