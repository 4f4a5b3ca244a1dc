import type { Environment } from '../errors/errors.js';
import type { OperationName } from '../protocol/operations.js';
import type { FaultKind } from './faults.js';
import { freezeDeep } from './freeze-deep.js';

/** What came in and what went out. Key and personal data are masked. */
export interface JournalEntry {
  /** Counts from 1; an entry that was forgotten keeps its number. */
  readonly id: number;
  /** What the answer names the request: its header `x-request-id`. */
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The HTTP method. */
  readonly method: string;
  /** The path of the address. */
  readonly path: string;
  /** The environment whose address was called. */
  readonly environment: Environment | undefined;
  /** Undefined where the path names none. */
  readonly operation: OperationName | undefined;
  /** The report's `bet_id` or `request_id`, where there is one. */
  readonly reference: string | undefined;
  /** Whether the key was right. */
  readonly key: 'valid' | 'invalid' | 'missing';
  /** What was sent, read as JSON where it is some. */
  readonly body: unknown;
  /** The status of the answer; undefined where none was sent. */
  readonly status: number | undefined;
  /** What the answer says, masked; undefined where a fault left it without a body. */
  readonly answer: unknown;
  /** Whether the report was recorded by this request. */
  readonly applied: boolean;
  /** What was made to go wrong. */
  readonly fault: FaultKind | undefined;
}

/** Which entries are meant; what is left out matches everything. */
export type JournalQuery = Partial<
  Pick<JournalEntry, 'requestId' | 'environment' | 'operation' | 'reference' | 'status' | 'applied' | 'fault' | 'method' | 'path' | 'key'>
>;

/** A UUID that tells which request it was, by its last digits. */
const nameOf = (id: number): string => `abcdefab-cdef-4abc-8def-${(0xabcdef000000 + id).toString(16)}`;

/** An entry without what the journal gives it. */
export type NewEntry = Omit<JournalEntry, 'id' | 'requestId'>;

export interface Journal {
  add(entry: NewEntry): JournalEntry;
  /** The newest entries, oldest first. */
  entries(query?: JournalQuery): JournalEntry[];
  clear(): void;
}

export const matches = (entry: JournalEntry, query: JournalQuery): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || entry[name as keyof JournalQuery] === value);

/** Longer texts are cut, since nothing that is sent may make the journal large. */
const LONGEST_TEXT = 1_000;

const cut = <T extends string | undefined>(text: T): T => (text && text.length > LONGEST_TEXT ? (`${text.slice(0, LONGEST_TEXT)}…` as T) : text);

/** A list of the latest requests; older ones are forgotten. */
export function createJournal(size: number): Journal {
  let entries: JournalEntry[] = [];
  let last = 0;
  const latest = () => entries.slice(Math.max(0, entries.length - size));
  return {
    add(given) {
      last += 1;
      // A path that names nothing may hold anything, somebody's number too.
      const path = cut(given.operation ? given.path : given.path.replace(/[0-9]{5,}/g, '[masked]'));
      const entry = freezeDeep({ id: last, requestId: nameOf(last), ...given, method: cut(given.method), path, reference: cut(given.reference) });
      entries.push(entry);
      // Now and then, so that forgetting costs nothing on each request.
      if (entries.length >= 2 * size) entries = latest();
      return entry;
    },
    entries: (query = {}) => latest().filter((entry) => matches(entry, query)),
    clear() {
      entries = [];
    },
  };
}
