import { asRecord, isRecord } from '../../core/platform/as-record.js';
import { sha256 } from '../../core/platform/hash.js';
import type { Decision, Row } from './state-machine.js';
import { FURTHEST_TIME } from './stored-row.js';

export interface LogLine {
  /** Its place, from 0, without gaps. */
  readonly index: number;
  readonly id: string;
  readonly line: string;
}

/** The end of the receipt log. */
export interface ReceiptHead {
  /** The number of entries. */
  readonly count: number;
  /** The hash of the last entry. */
  readonly hash: string;
}

/**
 * One line of the receipt log. Times are ISO 8601 in UTC, by the store's clock. It contains no personal data, unless a
 * person writes some into a reason.
 */
export interface ReceiptEntry
  extends Pick<Row, 'id' | 'account' | 'environment' | 'operation' | 'reference' | 'fingerprint' | 'attempts'> {
  /** The version of the format. */
  readonly version: 1;
  /** Its place in the log, from 0. */
  readonly index: number;
  /**
   * `'recorded'` and `'already-recorded'`: the gateway confirmed it. `'accepted'`: the outbox behind the relay has
   * stored it. `'declared-recorded'` and `'dismissed'`: a person decided, see the last of `decisions`.
   */
  readonly outcome: 'recorded' | 'already-recorded' | 'accepted' | 'declared-recorded' | 'dismissed';
  /** The time of enqueueing. */
  readonly enqueuedAt: string;
  /** The time at which it was recorded or dismissed. */
  readonly endedAt: string;
  /**
   * The decisions of people about the report, if there are any. If a dismissed report was reopened or replaced, it has
   * an earlier line in the log, and this one counts.
   */
  readonly decisions?: readonly (Pick<Decision, 'action' | 'reason'> & {
    /** The time of the decision, by the clock of the process that decided. */
    readonly at: string;
    /** The person who decided, if known. */
    readonly by?: string;
    /** Of a decision about a file: the SHA-256 of the file. */
    readonly file?: string;
    /** For `'replaced'`: the keyed fingerprint of the data before. */
    readonly fingerprint?: string;
    /** Present if the retry was undone before the report was sent. */
    readonly undone?: {
      /** The time of the undo, by the clock of the process that decided. */
      readonly at: string;
      /** The person who undid it. */
      readonly by: string;
      /** The reason that the person gave. */
      readonly reason: string;
    };
  })[];
  /** The hash of the previous entry; 64 zeros in the first entry. */
  readonly previous: string;
  /** SHA-256, in hexadecimal, of this entry's canonical JSON without `hash`. */
  readonly hash: string;
}

export const NOTHING = '0'.repeat(64);

/**
 * JSON without spaces and with sorted names, so that a value has only one text (RFC 8785, for the values in an entry).
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );

/** A clock beyond the last time must not stop the log. */
const isoTime = (milliseconds: number): string =>
  new Date(Math.max(-FURTHEST_TIME, Math.min(FURTHEST_TIME, Math.trunc(milliseconds)))).toISOString();

export function outcomeOf({
  state,
  outcome,
  decisions,
}: Pick<Row, 'state' | 'outcome' | 'decisions'>): ReceiptEntry['outcome'] {
  if (state === 'dismissed') return 'dismissed';
  // A recorded row takes no decisions. So if the last decision is 'recorded', it ended the row.
  return decisions.at(-1)?.action === 'recorded' ? 'declared-recorded' : (outcome ?? 'recorded');
}

export const hashOf = ({ hash: _, ...entry }: Omit<ReceiptEntry, 'hash'> & { hash?: unknown }): Promise<string> =>
  sha256(canonicalJson(entry));

/** The lines of final rows, linked to the last line of the log. Throws if that is damaged. */
export async function linkRows(
  rows: readonly Row[],
  last: LogLine | undefined,
): Promise<{ lines: LogLine[]; head: ReceiptHead }> {
  let previous = last ? headOfLine(last.line) : NOTHING;
  let index = (last?.index ?? -1) + 1;
  const lines: LogLine[] = [];
  for (const row of rows) {
    const { id, account, environment, operation, reference, fingerprint, attempts, enqueuedAt, changedAt, decisions } =
      row;
    const decided = decisions.map(({ action, at, by, file, fingerprint, reason, undone }) => ({
      action,
      at: isoTime(at),
      ...(by !== undefined && { by }),
      ...(file !== undefined && { file }),
      ...(fingerprint !== undefined && { fingerprint }),
      reason,
      ...(undone && { undone: { at: isoTime(undone.at), by: undone.by, reason: undone.reason } }),
    }));
    // The names are already sorted, so plain JSON is canonical and faster. `hash` belongs between the two parts.
    const before = JSON.stringify({
      account,
      attempts,
      ...(decided.length > 0 && { decisions: decided }),
      endedAt: isoTime(changedAt),
      enqueuedAt: isoTime(enqueuedAt),
      environment,
      fingerprint,
    }).slice(0, -1);
    const after = JSON.stringify({
      id,
      index,
      operation,
      outcome: outcomeOf(row),
      previous,
      reference,
      version: 1,
    }).slice(1);
    previous = await sha256(`${before},${after}`);
    lines.push({ index, id, line: `${before},"hash":"${previous}",${after}` });
    index += 1;
  }
  return { lines, head: { count: index, hash: previous } };
}

/** The number of earlier lines of an entry's report: its dismissals that were not the end. Undefined if it is invalid. */
export function earlierLines({ decisions = [] }: Partial<ReceiptEntry>): number | undefined {
  if (!Array.isArray(decisions)) return undefined;
  const actions = decisions.map((one) => asRecord(one).action);
  const ended = actions.slice(0, -1).flatMap((action, place) => (action === 'dismissed' ? place : []));
  return ended.every((place) => REOPENING.includes(actions[place + 1])) ? ended.length : undefined;
}

/** Whether a row has the state and the data of its entry, or was reopened after it. */
export function fitsEntry(
  row: Row,
  { outcome, fingerprint, decisions: { length } = [] }: Partial<ReceiptEntry>,
): boolean {
  const since = row.decisions.slice(length);
  const isReopened = outcome === 'dismissed' && REOPENING.includes(since[0]?.action);
  const then = since.find(({ action }) => action === 'replaced')?.fingerprint ?? row.fingerprint;
  if (then !== fingerprint) return false;
  return isReopened || row.state === (outcome === 'dismissed' ? 'dismissed' : 'recorded');
}

const REOPENING: readonly unknown[] = ['reopened', 'replaced'] satisfies readonly Decision['action'][];

export function headOfLine(line: string): string {
  const hash = parseEntry(line)?.hash;
  if (typeof hash !== 'string')
    throw new Error('The last line of the log of receipts is damaged, so no line can be added after it.');
  return hash;
}

/** Parses a line without checking its members. Undefined if the line is not a JSON object. */
export function parseEntry(line: string): Partial<ReceiptEntry> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
