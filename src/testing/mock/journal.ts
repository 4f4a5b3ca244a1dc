import type { Environment } from '../../core/errors/errors.js';
import type { OperationName } from '../../core/protocol/operations.js';
import type { FaultKind } from './faults.js';
import { freezeDeep } from './ledger.js';

/** One request and its answer. Key and personal data are masked. */
export interface JournalEntry {
  /** Counts from 1. Numbers of forgotten entries are not reused. */
  readonly id: number;
  /** The id of the request in the answer: its header `x-request-id`. */
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The HTTP method. */
  readonly method: string;
  /** The path of the address. */
  readonly path: string;
  /** The environment whose address was called. */
  readonly environment: Environment | undefined;
  /** Undefined if the path has no operation. */
  readonly operation: OperationName | undefined;
  /** The report's `bet_id` or `request_id`, if there is one. */
  readonly reference: string | undefined;
  /** Whether the key was valid. */
  readonly key: 'valid' | 'invalid' | 'missing';
  /** The request's body, parsed if it is JSON. */
  readonly body: unknown;
  /** The status of the answer. Undefined if no answer was sent. */
  readonly status: number | undefined;
  /** The message of the answer, masked. Undefined if a fault removed the body. */
  readonly answer: unknown;
  /** Whether the report was recorded by this request. */
  readonly applied: boolean;
  /** The faults that were applied. */
  readonly fault: FaultKind | undefined;
}

/** Selects entries. Conditions that are left out match every entry. */
export type JournalQuery = Partial<
  Pick<
    JournalEntry,
    'requestId' | 'environment' | 'operation' | 'reference' | 'status' | 'applied' | 'fault' | 'method' | 'path' | 'key'
  >
>;

/** A UUID whose last digits are the number of the request. */
const nameOf = (id: number): string => `abcdefab-cdef-4abc-8def-${(0xabcdef000000 + id).toString(16)}`;

export const matches = (entry: JournalEntry, query: JournalQuery): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || entry[name as keyof JournalQuery] === value);

/** Longer texts are cut, so that no request makes the journal large. */
const LONGEST_TEXT = 1_000;

const cut = <T extends string | undefined>(text: T): T =>
  text && text.length > LONGEST_TEXT ? (`${text.slice(0, LONGEST_TEXT)}…` as T) : text;

export function createJournal(size: number) {
  let entries: JournalEntry[] = [];
  let last = 0;
  const latest = () => entries.slice(Math.max(0, entries.length - size));
  return {
    add(given: Omit<JournalEntry, 'id' | 'requestId'>): JournalEntry {
      last += 1;
      // A path without an operation may hold any data, even a NIN.
      const path = cut(given.operation ? given.path : given.path.replace(/[0-9]{5,}/g, '[masked]'));
      const entry = freezeDeep({
        id: last,
        requestId: nameOf(last),
        ...given,
        method: cut(given.method),
        path,
        reference: cut(given.reference),
      });
      entries.push(entry);
      // Only at intervals, so that forgetting adds no cost to each request.
      if (entries.length >= 2 * size) entries = latest();
      return entry;
    },
    /** Oldest first. */
    entries: (query: JournalQuery = {}) => latest().filter((entry) => matches(entry, query)),
    clear() {
      entries = [];
    },
  };
}
