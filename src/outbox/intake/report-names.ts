import { ValidationError } from '../../errors/errors.js';
import { reportNames } from '../../protocol/operations.js';
import type { Given } from './enqueue.js';

/** Checks a report whose operation is given by name. Throws a `ValidationError` for an unknown name. */
export function readNamed(given: Given): Given {
  if (typeof given !== 'object' || given === null) throw refused('report', 'expected an object with operation and payload');
  const { operation, payload, options } = readMembers(given);
  if (reportNames.some((name) => name === operation)) return { operation, payload, options };
  throw refused('operation', `expected ${reportNames.slice(0, -1).join(', ')} or ${reportNames.at(-1)}`);
}

function readMembers(given: Given): Given {
  try {
    const { operation, payload, options } = given;
    return { operation, payload, options };
  } catch {
    throw refused('report', 'could not be read: a getter or proxy threw');
  }
}

/** Copies a list of reports. Throws a `ValidationError` if it is not an array. */
export function readList(reports: readonly Given[]): Given[] {
  try {
    if (Array.isArray(reports)) return Array.from(reports);
  } catch {
    // A proxy that throws is refused like any other value.
  }
  throw refused('reports', 'expected an array of objects with operation and payload');
}

/** The error never shows the value, which may contain personal data. */
const refused = (path: string, message: string) =>
  new ValidationError(`${path}: ${message}. Nothing was stored or sent.`, { issues: [{ path, code: 'invalid', message }] });
