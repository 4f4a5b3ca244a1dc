import type { Environment } from '../../core/errors/errors.js';
import { cut, MASK } from '../../core/platform/messages.js';
import { type Clock, withTimeout } from '../../core/platform/time.js';
import type { AbortSignalLike } from '../../core/platform/web-types.js';
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

/** The options of `waitFor`. */
export interface WaitOptions {
  /** Default: 5,000. */
  timeoutMs?: number | undefined;
  /** Cancels the wait. */
  signal?: AbortSignalLike | undefined;
}

/** A UUID whose last digits are the number of the request. */
const nameOf = (id: number): string => `abcdefab-cdef-4abc-8def-${(0xabcdef000000 + id).toString(16)}`;

/** Whether each member of the query that is not undefined has the same value in the entry. */
export const matches = <Entry extends object>(
  entry: Entry,
  query: { readonly [Name in keyof Entry]?: Entry[Name] | undefined },
): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || entry[name as keyof Entry] === value);

/** Longer texts are cut, so that no request makes the journal large. */
const LONGEST_TEXT = 1_000;

type Listener = (entry: JournalEntry) => void;

export function createJournal(size: number, clock: Clock) {
  let kept: JournalEntry[] = [];
  let last = 0;
  const listeners = new Set<Listener>();
  const latest = () => kept.slice(Math.max(0, kept.length - size));
  /** Oldest first. */
  const entries = (query: JournalQuery = {}) => latest().filter((entry) => matches(entry, query));

  function subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  return {
    entries,
    subscribe,
    add(given: Omit<JournalEntry, 'id' | 'requestId'>): JournalEntry {
      last += 1;
      // A path without an operation may hold any data, even a NIN.
      const path = cut(given.operation ? given.path : given.path.replace(/[0-9]{5,}/g, MASK), LONGEST_TEXT);
      const entry = freezeDeep({
        id: last,
        requestId: nameOf(last),
        ...given,
        method: cut(given.method, LONGEST_TEXT),
        path,
        reference: given.reference && cut(given.reference, LONGEST_TEXT),
      });
      kept.push(entry);
      // Only at intervals, so that forgetting adds no cost to each request.
      if (kept.length >= 2 * size) kept = latest();
      // Later, so that an error of a listener is uncaught, as with events, and the gateway continues.
      for (const listener of listeners) void Promise.resolve().then(() => listener(entry));
      return entry;
    },
    /** Rejects with an error that lists the latest requests if none comes in time. */
    async waitFor(query: JournalQuery, { timeoutMs = 5_000, signal }: WaitOptions): Promise<JournalEntry> {
      const [already] = entries(query);
      if (already) return already;
      let stop = () => {};
      const next = () =>
        new Promise<JournalEntry>((resolve) => {
          stop = subscribe((entry) => matches(entry, query) && resolve(entry));
        });
      const ended = await withTimeout(next, { clock, milliseconds: timeoutMs, signal });
      stop();
      if (ended.ended === 'done') return ended.value;
      const why = ended.ended === 'timeout' ? `within ${timeoutMs} ms` : 'before the wait was cancelled';
      const came = latest()
        .slice(-5)
        .map(
          ({ operation, reference, status }) =>
            `${operation ?? 'unknown path'} ${reference ?? ''} ${status ?? 'no answer'}`,
        );
      throw new Error(`No request matched ${JSON.stringify(query)} ${why}. The latest: ${came.join('; ') || 'none'}.`);
    },
    clear() {
      kept = [];
    },
  };
}
