import type { Operation } from '../protocol/operations.js';
import { traitsOf } from '../schema/fields.js';
import { printableKey } from '../schema/issue.js';
import { location } from '../schema/location.js';
import { fieldAt, isModel } from '../schema/model.js';

type Path = readonly string[];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A matcher of a test library, such as `expect.any(String)`. */
interface Matcher {
  asymmetricMatch(other: unknown): boolean;
  toAsymmetricMatcher?(): string;
}

const isMatcher = (value: unknown): value is Matcher => isObject(value) && typeof value.asymmetricMatch === 'function';

/** The differences between a report's body and the expected one, one line each. Members that are not expected are ignored. */
export function differences(row: Operation, expected: unknown, received: unknown, path: Path = []): string[] {
  if (isMatcher(expected)) return expected.asymmetricMatch(received) ? [] : [line(row, path, expected.toAsymmetricMatcher?.() ?? String(expected), received)];
  if (isObject(expected) && isObject(received)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(row, value, Object.hasOwn(received, name) ? received[name] : undefined, [...path, name]),
    );
  }
  if (Array.isArray(expected) && Array.isArray(received) && expected.length === received.length) {
    return expected.flatMap((value, index) => differences(row, value, received[index], [...path, String(index)]));
  }
  return Object.is(expected, received) || (expected === 0 && received === 0) ? [] : [line(row, path, describeValue(expected), received)];
}

/** An object whose members may hold any data. */
const describeValue = (value: unknown): string | undefined => (typeof value === 'object' && value !== null ? '[masked]' : JSON.stringify(value));

/** The text for a path in the body. A path that the specification does not have may hold any data. */
function isPersonal(row: Operation, path: Path): boolean {
  const inLocation = row.location !== 'none' && path[0] === 'location';
  const field = inLocation ? fieldAt(location, path.slice(1)) : fieldAt(row.request, path);
  return field === undefined || isModel(field) || traitsOf(field).personal === true;
}

function line(row: Operation, path: Path, expected: string | undefined, received: unknown): string {
  const place = path.map(printableKey).join('.') || 'the body';
  if (received === undefined) return `${place}: is missing`;
  if (expected === undefined) return `${place}: expected to be left out, but present`;
  if (isPersonal(row, path)) return `${place}: differs [masked]`;
  return `${place}: expected ${expected}, received ${describeValue(received)}`;
}
