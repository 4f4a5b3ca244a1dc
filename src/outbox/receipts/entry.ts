import { sha256 } from '../../platform/hash.js';
import type { OperationName } from '../../protocol/operations.js';
import type { OutboxEnvironment } from '../destination.js';
import type { Decision, Row } from '../state-machine.js';
import type { LogLine } from '../store.js';

/** How far the log of receipts reaches. */
export interface ReceiptHead {
  /** How many entries it has. */
  readonly count: number;
  /** The hash of the last one. */
  readonly hash: string;
}

/**
 * One line of the log of receipts. Times are ISO 8601 in UTC, by the store's clock. It holds no personal data, unless
 * somebody writes some into a reason.
 */
export interface ReceiptEntry {
  /** Version of the format. */
  readonly version: 1;
  /** Its place in the log, from 0. */
  readonly index: number;
  /** The id of the report. */
  readonly id: string;
  /** Whose report it is. */
  readonly account: string;
  /** Where the report goes. */
  readonly environment: OutboxEnvironment;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /**
   * `'recorded'` and `'already-recorded'`: the gateway said so. `'accepted'`: the outbox behind the relay has stored it. `'declared-recorded'` and `'dismissed'`: a person did, see
   * the last of `decisions`.
   */
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted' | 'declared-recorded' | 'dismissed';
  /** The keyed fingerprint of the bytes that were sent. */
  readonly fingerprint: string;
  /** Attempts that count: those that a pause turned away do not. */
  readonly attempts: number;
  /** When it was enqueued. */
  readonly enqueuedAt: string;
  /** When it was recorded, or dismissed. */
  readonly endedAt: string;
  /** What people decided about it, where they did. */
  readonly decisions?: readonly (Pick<Decision, 'action' | 'reason'> & {
    /** When it was decided, by the clock of whoever decided. */
    readonly at: string;
    /** By whom, where that was known. */
    readonly by?: string;
  })[];
  /** The hash of the entry before; 64 zeros in the first. */
  readonly previous: string;
  /** SHA-256, in hexadecimal, of this entry's canonical JSON without `hash`. */
  readonly hash: string;
}

/** What comes before the first entry. */
export const NOTHING = '0'.repeat(64);

/** JSON without spaces and with sorted names: one text for one value (RFC 8785, for the values that are here). */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );

/** The furthest time that a date can hold; a clock that is further off must not stop the log. */
const FURTHEST_MS = 8.64e15;
const isoTime = (milliseconds: number): string => new Date(Math.max(-FURTHEST_MS, Math.min(FURTHEST_MS, Math.trunc(milliseconds)))).toISOString();

function outcomeOf({ state, outcome, decisions }: Row): ReceiptEntry['outcome'] {
  if (state === 'dismissed') return 'dismissed';
  // Nothing can be decided about a recorded row: where that was the last, it is what recorded it.
  return decisions.at(-1)?.action === 'recorded' ? 'declared-recorded' : (outcome ?? 'recorded');
}

/** The hash that an entry must have. */
export const hashOf = ({ hash: _, ...entry }: Omit<ReceiptEntry, 'hash'> & { hash?: unknown }): Promise<string> => sha256(canonicalJson(entry));

/** The lines of final rows, linked to the last line that there is. Throws where that is none of ours. */
export async function linkRows(rows: readonly Row[], last: LogLine | undefined): Promise<{ lines: LogLine[]; head: ReceiptHead }> {
  let previous = last ? headOfLine(last.line) : NOTHING;
  let index = (last?.index ?? -1) + 1;
  const lines: LogLine[] = [];
  for (const row of rows) {
    const { id, account, environment, operation, reference, fingerprint, attempts, enqueuedAt, changedAt, decisions } = row;
    // A retry that was taken back has had no consequence.
    const decided = decisions.flatMap(({ action, at, by, reason, undone }) =>
      undone ? [] : [{ action, at: isoTime(at), ...(by !== undefined && { by }), reason }],
    );
    // Names are in their order here, so that this is canonical JSON at the price of plain JSON; `hash` stands between the two parts.
    const before = JSON.stringify({
      account,
      attempts,
      ...(decided.length > 0 && { decisions: decided }),
      endedAt: isoTime(changedAt),
      enqueuedAt: isoTime(enqueuedAt),
      environment,
      fingerprint,
    }).slice(0, -1);
    const after = JSON.stringify({ id, index, operation, outcome: outcomeOf(row), previous, reference, version: 1 }).slice(1);
    previous = await sha256(`${before},${after}`);
    lines.push({ index, id, line: `${before},"hash":"${previous}",${after}` });
    index += 1;
  }
  return { lines, head: { count: index, hash: previous } };
}

/** The hash that stands in a line of the log. */
export function headOfLine(line: string): string {
  const hash = parseEntry(line)?.hash;
  if (typeof hash !== 'string') throw new Error('The last line of the log of receipts is damaged, and nothing can be linked to it.');
  return hash;
}

/** A line as what it says, unchecked; undefined where it is no object. */
export function parseEntry(line: string): Partial<ReceiptEntry> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
