import { operationNames } from '../protocol/operations.js';
import { FAULT_KINDS } from './faults.js';
import type { JournalQuery } from './journal.js';

/** A query or command is invalid. The message says what is accepted. */
export class BadInput extends TypeError {}

/** How to read a parameter: a value from a URL (always text) or from JSON. Undefined if it is invalid. */
interface Reader<T> {
  readonly expected: string;
  read(given: unknown): T | undefined;
}

const text: Reader<string> = { expected: 'a text', read: (given) => (typeof given === 'string' ? given : undefined) };

const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
]);
const flag: Reader<boolean> = { expected: 'true or false', read: (given) => FLAGS.get(given) };

const whole = (most: number): Reader<number> => ({
  expected: `a whole number from 0 to ${most}`,
  read: (given) => (/^(?:number|string)$/.test(typeof given) && /^\d{1,9}$/.test(String(given)) && Number(given) <= most ? Number(given) : undefined),
});

const oneOf = <const T extends string>(values: readonly T[]): Reader<T> => ({
  expected: `one of ${values.join(', ')}`,
  read: (given) => values.find((value) => value === given),
});

export const LONGEST_TIMEOUT_MS = 60_000;

const READERS = {
  environment: oneOf(['staging', 'production']),
  operation: oneOf(operationNames),
  reference: text,
  status: whole(599),
  applied: flag,
  fault: oneOf(FAULT_KINDS),
  method: text,
  path: text,
  key: oneOf(['valid', 'invalid', 'missing']),
  limit: whole(1_000_000),
  reveal: flag,
  id: whole(999_999_999),
  timeoutMs: whole(LONGEST_TIMEOUT_MS),
} as const satisfies Record<string, Reader<unknown>>;

type Name = keyof typeof READERS;
type GivenQuery<N extends Name> = { [K in N]?: (typeof READERS)[K] extends Reader<infer T> ? T : never };

/** The names by which requests can be searched: those of a `JournalQuery`. */
export const JOURNAL_NAMES = [
  'environment',
  'operation',
  'reference',
  'status',
  'applied',
  'fault',
  'method',
  'path',
  'key',
] as const satisfies readonly (keyof JournalQuery)[];

/** Reads the known parameters. Throws a `BadInput` that says what is wrong. */
export function readQuery<N extends Name>(given: URLSearchParams | Record<string, unknown>, names: readonly N[]): GivenQuery<N> {
  const asked: Record<string, unknown> = {};
  for (const [name, value] of given instanceof URLSearchParams ? given : Object.entries(given)) {
    const known = names.find((one) => one === name);
    if (known === undefined) throw new BadInput(names.length > 0 ? `unknown field; known are ${names.join(', ')}` : 'no parameter is accepted here');
    if (known in asked) throw new BadInput(`${known} is given twice`);
    const { read, expected } = READERS[known];
    const understood = read(value);
    if (understood === undefined) throw new BadInput(`${known} must be ${expected}`);
    asked[known] = understood;
  }
  return asked as GivenQuery<N>;
}
