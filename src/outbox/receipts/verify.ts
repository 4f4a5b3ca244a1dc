import { refuseOtherNames } from '../../core/errors/errors.js';
import type { AnyIterable } from '../../core/platform/in-batches.js';
import {
  canonicalJson,
  earlierLines,
  hashOf,
  NOTHING,
  parseEntry,
  type ReceiptEntry,
  type ReceiptHead,
} from '../rules/receipt-entry.js';

/**
 * The kind of a damage. `'unreadable'`: the line is not an entry in the format of the log. `'changed'`: its content
 * does not match its hash. `'unlinked'`: an entry was removed, added, changed or moved. `'head'`: all lines
 * are valid, and the given head is not among them.
 */
type ReceiptsBreakKind = 'unreadable' | 'changed' | 'unlinked' | 'head';

/** The first damage in a receipt log. */
export interface ReceiptsBreak {
  /** The kind of the damage. */
  readonly kind: ReceiptsBreakKind;
  /** The number of the line, from 1. */
  readonly line: number;
  /** The damage in words, without secrets and personal data. */
  readonly message: string;
}

/** The result of `verifyReceipts`. */
export interface ReceiptsVerdict {
  /** Whether every line is unchanged and in its place, and the given head is among them. */
  readonly valid: boolean;
  /** The number of valid entries: those before the break, or all. */
  readonly count: number;
  /** The last valid entry. Undefined if there is none. */
  readonly head: ReceiptHead | undefined;
  /** The number of entries after the given head. Undefined without a head, or if it is not in the log. */
  readonly afterHead: number | undefined;
  /** The first damage. Undefined if there is none. */
  readonly break: ReceiptsBreak | undefined;
}

/** The options of `verifyReceipts`. */
export interface VerifyReceiptsOptions {
  /** A head of this log, or its hash, that you have stored in another place. */
  head?: string | ReceiptHead | undefined;
}

/**
 * Verifies a receipt log: finds every entry that was changed, removed, inserted or moved. Pass a `head` that you have
 * stored in another place: only with it can missing entries **at the end** be found, or a log that was completely
 * rewritten.
 *
 * A dismissed report that was reopened has another entry, which names the person who reopened it. Any other second
 * entry of a dismissed report is a damage. After `prune`, a report with the same reference is another one.
 *
 * Takes text or bytes: all at once, or in pieces (the stream of a file). It keeps only one piece and the ids of
 * dismissed reports in memory.
 *
 * @example
 * ```ts
 * const verdict = await verifyReceipts(createReadStream('receipts.jsonl'), { head: noted });
 * if (!verdict.valid) throw new Error(`line ${verdict.break?.line}: ${verdict.break?.message}`);
 * ```
 */
export async function verifyReceipts(
  lines: string | AnyIterable<string | Uint8Array>,
  options: VerifyReceiptsOptions = {},
): Promise<ReceiptsVerdict> {
  refuseOtherNames('verifyReceipts', ['head'], options);
  const verifier = createVerifier(options.head);
  for await (const line of splitLines(lines)) {
    if (line === undefined) return verifier.verdict({ kind: 'unreadable', message: 'it is longer than any entry' });
    const broken = await verifier.add(line);
    if (broken) return broken;
  }
  return verifier.end();
}

/** Verifies a log line by line. `add` returns a verdict at the first damage. */
export function createVerifier(wanted: string | ReceiptHead | undefined) {
  const { hash: wantedHash, count: wantedCount } =
    typeof wanted === 'string' ? { hash: wanted.trim().toLowerCase(), count: undefined } : (wanted ?? {});
  let previous = NOTHING;
  let count = 0;
  let headAt: number | undefined;
  /** The entries of each report that was ever dismissed. Infinite once it is recorded. */
  const dismissed = new Map<string, number>();

  /** Whether an entry follows the earlier ones of its report. After `prune`, a reference may be enqueued again. */
  function follows(entry: ReceiptEntry): boolean {
    const report = `${entry.id} ${entry.enqueuedAt}`;
    const before = dismissed.get(report) ?? 0;
    if (earlierLines(entry) !== before) return false;
    if (entry.outcome === 'dismissed') dismissed.set(report, before + 1);
    else if (before > 0) dismissed.set(report, Number.POSITIVE_INFINITY);
    return true;
  }

  const verdict = (problem?: Pick<ReceiptsBreak, 'kind' | 'message'>): ReceiptsVerdict => ({
    valid: problem === undefined,
    count,
    head: count === 0 ? undefined : { count, hash: previous },
    afterHead: headAt === undefined ? undefined : count - headAt,
    break: problem && { ...problem, line: count + 1 },
  });

  return {
    verdict,
    async add(line: string): Promise<ReceiptsVerdict | undefined> {
      const problem = await problemOf(line, count, previous);
      if (problem) return verdict(problem);
      const entry = parseEntry(line) as ReceiptEntry;
      if (!follows(entry)) return verdict({ kind: 'unlinked', message: OTHER_END });
      previous = entry.hash;
      count += 1;
      if (previous === wantedHash && (wantedCount ?? count) === count) headAt = count;
      return undefined;
    },
    end: (): ReceiptsVerdict =>
      wantedHash !== undefined && headAt === undefined
        ? verdict({ kind: 'head', message: missingHead(count, wantedCount) })
        : verdict(),
  };
}

const OTHER_END =
  'it does not follow the earlier entries of its report: a report has a second entry only after a person has reopened it';

const missingHead = (count: number, wanted: number | undefined) =>
  wanted !== undefined && wanted > count
    ? `the log ends after ${count} entries; the head that was noted is that of ${wanted}: entries at the end are missing`
    : 'the head that was noted is not in the log: entries at the end are missing, or the whole log was rewritten';

async function problemOf(
  line: string,
  index: number,
  previous: string,
): Promise<Pick<ReceiptsBreak, 'kind' | 'message'> | undefined> {
  const broken = (kind: ReceiptsBreakKind, message: string) => ({ kind, message });
  const entry = parseEntry(line);
  if (!entry)
    return broken(
      'unreadable',
      'it is not a JSON object: it was cut off or changed, or the line break after it is missing',
    );
  if (entry.version !== 1) return broken('unreadable', 'its version is unknown to this package, or was changed');
  if (canonicalJson(entry) !== line)
    return broken('unreadable', 'it is not in the format of the log: it was changed, or formatted by another program');
  if ((await hashOf(entry as ReceiptEntry)) !== entry.hash)
    return broken('changed', 'its content does not match its hash: it was changed');
  if (entry.index !== index)
    return broken('unlinked', `it is entry ${entry.index} instead of ${index}: entries were removed, added or moved`);
  if (entry.previous !== previous)
    return broken('unlinked', 'it is not linked to the entry before it: an entry was changed, removed or added');
  return undefined;
}

/** The line of a report that a command retries each minute for weeks. A longer text must not fill the memory. */
const LONGEST_LINE = 10_000_000;

/**
 * The lines of a text in pieces, such as the stream of a file. A cut character becomes the replacement character. Ends
 * with undefined at a line that is too long.
 */
async function* splitLines(text: string | AnyIterable<string | Uint8Array>): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of typeof text === 'string' ? [text] : text) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > LONGEST_LINE) return yield undefined;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
