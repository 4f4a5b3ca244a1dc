import { type Operation, operations } from '../../../protocol/operations.js';
import { printableKey } from '../../../schema/issue.js';
import { type Leaf, type LeafKind, leavesOf } from '../../../schema/leaves.js';
import { location, locationInput } from '../../../schema/location.js';
import type { ValidationMode } from '../../../schema/model.js';
import { suggest } from '../../../schema/suggest.js';
import type { OutboxOperation } from '../options.js';

/** The fields that a file of one operation may have. */
export interface Shape {
  readonly operation: OutboxOperation;
  /** The field that identifies a report. */
  readonly reference: 'bet_id' | 'request_id';
  readonly mode: ValidationMode;
  /** Every field by its dotted name. */
  readonly leaves: ReadonlyMap<string, Leaf>;
  /** Whether a report without `timestamp` gets the current time. An import does not allow that: the time is wrong, and each run makes other data. */
  readonly needsTime: boolean;
  /** The fields that every line must have. */
  readonly required: readonly string[];
}

/** The fields of an operation, and of the location that it takes. */
export function shapeOf(operation: OutboxOperation, mode: ValidationMode): Shape {
  const { request, location: takes, reference }: Operation & { readonly reference: 'bet_id' | 'request_id' } = operations[operation];
  const own = leavesOf(request);
  const needsTime = request.optional.includes('timestamp');
  // The client's options decide whether a location is required.
  const places = takes === 'none' ? [] : leavesOf(takes === 'field' ? location : locationInput, 'location.', false);
  return {
    operation,
    reference,
    mode,
    leaves: new Map([...own, ...places].map((leaf) => [leaf.path, leaf])),
    needsTime,
    required: own.filter(({ path, required }) => required[mode] || (needsTime && path === 'timestamp')).map(({ path }) => path),
  };
}

/** Parameters of a call that a line of an import cannot have: an import does not look up IP addresses, and has one environment. */
export const NOT_OF_A_LINE: readonly string[] = ['clientIP', 'environment'];

/** The kind of a field's cells. Undefined if the field does not exist. */
export function kindOf({ leaves, mode }: Shape, path: string): LeafKind | undefined {
  if (NOT_OF_A_LINE.includes(path)) return undefined;
  const known = leaves.get(path);
  if (known) return known.free ? undefined : known.kind;
  const [parent = ''] = path.split('.');
  if (leaves.get(parent)?.free && path.length > parent.length + 1) return 'text';
  const isObject = [...leaves.keys()].some((name) => name.startsWith(`${path}.`));
  return mode === 'partial' && !isObject && path.split('.').every((name) => name !== '') ? 'text' : undefined;
}

/** A dotted name for a message. A part that is not an identifier may be misplaced data, so it is masked. */
export const printableName = (name: string): string => name.split('.').map(printableKey).join('.');

/** The message for an unknown field, with the most similar name. */
export function unknownName({ leaves, operation }: Shape, name: string): string {
  const nearest = suggest(name, [...leaves.keys()]);
  return `${printableName(name)} is not a field of ${operation}${nearest ? `; did you mean ${nearest}?` : ''}`;
}
