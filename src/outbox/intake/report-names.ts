import { ValidationError } from '../../errors/errors.js';
import { type Operation, operations } from '../../protocol/operations.js';
import type { Given } from './enqueue.js';

const NAMES = Object.values<Operation>(operations).flatMap(({ name, reference }): string[] => (reference ? [name] : []));

/** Takes a report that is named rather than given to the method of its name, since a name can be misspelled. Throws a `ValidationError`. */
export function readNamed(given: Given): Given {
  if (typeof given !== 'object' || given === null) throw refused('report', 'expected an object with operation and payload');
  const { operation, payload, options } = readMembers(given);
  if (NAMES.includes(operation)) return { operation, payload, options };
  throw refused('operation', `expected ${NAMES.slice(0, -1).join(', ')} or ${NAMES.at(-1)}`);
}

function readMembers(given: Given): Given {
  try {
    const { operation, payload, options } = given;
    return { operation, payload, options };
  } catch {
    throw refused('report', 'could not be read: a getter or proxy threw');
  }
}

/** A copy of a list of reports. Throws a `ValidationError` for anything else: of that none would be enqueued, and nobody told. */
export function readList(reports: readonly Given[]): Given[] {
  try {
    if (Array.isArray(reports)) return Array.from(reports);
  } catch {
    // A proxy that throws is no list either.
  }
  throw refused('reports', 'expected an array, each of whose members has operation and payload');
}

/** What was given is not shown: it may be anything. */
const refused = (path: string, message: string) =>
  new ValidationError(`${path}: ${message}. Nothing was stored or sent.`, { issues: [{ path, code: 'invalid', message }] });
