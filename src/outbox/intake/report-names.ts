import { ValidationError } from '../../errors/errors.js';
import { reportNames } from '../../protocol/operations.js';
import { nearest } from '../../schema/option-rules.js';
import type { Given } from './enqueue.js';

/** Checks a report whose operation is given by name. Throws a `ValidationError` for an unknown name. */
export function readNamed(given: Given): Given {
  if (typeof given !== 'object' || given === null) throw refused('report', 'expected an object with operation and payload');
  const { operation, payload, options } = readMembers(given);
  if (reportNames.some((name) => name === operation)) return { operation, payload, options };
  const meant = typeof operation === 'string' ? nearest(operation, reportNames) : undefined;
  throw refused('operation', `expected ${reportNames.slice(0, -1).join(', ')} or ${reportNames.at(-1)}${meant ? ` (did you mean ${meant}?)` : ''}`);
}

const MEMBERS: readonly string[] = ['operation', 'payload', 'options'];

function readMembers(given: Given): Given {
  try {
    const { operation, payload, options } = given;
    // Only a misspelt name: the object may be a row of the user's own, with more members.
    const wrong = Object.keys(given).find((name) => !MEMBERS.includes(name) && nearest(name, MEMBERS) !== undefined);
    if (wrong !== undefined) throw refused('report', `unknown field; did you mean ${nearest(wrong, MEMBERS)}?`);
    return { operation, payload, options };
  } catch (error) {
    if (error instanceof ValidationError) throw error;
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
