import { canonicalJson, hashOf, NOTHING, parseEntry, type ReceiptEntry, type ReceiptHead } from './entry.js';
import { type AnyIterable, LongLineError, linesOf } from './lines.js';

/**
 * What is wrong with a line. `'unreadable'`, it is no entry, or not as the log writes it; `'changed'`, its content is not
 * that of its hash; `'unlinked'`, an entry before it was removed, added, changed or moved; `'head'`, the log is sound as far as
 * it goes, and the head that it was to have is not in it.
 */
export type ReceiptsBreakKind = 'unreadable' | 'changed' | 'unlinked' | 'head';

/** The first place where a log of receipts is not what was written. */
export interface ReceiptsBreak {
  /** What is wrong there. */
  readonly kind: ReceiptsBreakKind;
  /** The line, from 1. */
  readonly line: number;
  /** What happened, in words; free of secrets and personal data. */
  readonly message: string;
}

/** What `verifyReceipts` found. */
export interface ReceiptsVerdict {
  /** Whether every line is as it was written, in its place, and the given head is among them. */
  readonly valid: boolean;
  /** How many entries are sound: those before the break, or all. */
  readonly count: number;
  /** The last of these; undefined for none. */
  readonly head: ReceiptHead | undefined;
  /** How many entries follow the given head. Without one, or where it is not there: undefined. */
  readonly afterHead: number | undefined;
  /** The first place where the log does not hold together; none where it does. */
  readonly break: ReceiptsBreak | undefined;
}

/** What `verifyReceipts` takes beside the lines. */
export interface VerifyReceiptsOptions {
  /** A head, or its hash, that you noted elsewhere when the log was shorter or as long. */
  head?: string | ReceiptHead | undefined;
}

/**
 * Checks a log of receipts: any entry that was changed, removed, inserted or moved is found. Entries that are missing
 * **at the end** can only be found against a head that you know from elsewhere, and so can a log that somebody wrote
 * anew from the first entry: pass `head`.
 *
 * Takes text or bytes: whole, in pieces (a file's stream), or a line at a time. Reads once, and holds one piece.
 *
 * @example
 * ```ts
 * const verdict = await verifyReceipts(createReadStream('receipts.jsonl'), { head: noted });
 * if (!verdict.valid) throw new Error(`line ${verdict.break?.line}: ${verdict.break?.message}`);
 * ```
 */
export async function verifyReceipts(lines: string | AnyIterable<string | Uint8Array>, { head: wanted }: VerifyReceiptsOptions = {}): Promise<ReceiptsVerdict> {
  const { hash: wantedHash, count: wantedCount } = typeof wanted === 'string' ? { hash: wanted.trim().toLowerCase(), count: undefined } : (wanted ?? {});
  let previous = NOTHING;
  let count = 0;
  let headAt: number | undefined;

  const verdict = (problem?: Pick<ReceiptsBreak, 'kind' | 'message'>): ReceiptsVerdict => ({
    valid: problem === undefined,
    count,
    head: count === 0 ? undefined : { count, hash: previous },
    afterHead: headAt === undefined ? undefined : count - headAt,
    break: problem && { ...problem, line: count + 1 },
  });

  try {
    for await (const line of linesOf(lines)) {
      const problem = await problemOf(line, count, previous);
      if (problem) return verdict(problem);
      previous = (parseEntry(line) as ReceiptEntry).hash;
      count += 1;
      if (previous === wantedHash && (wantedCount ?? count) === count) headAt = count;
    }
  } catch (error) {
    if (error instanceof LongLineError) return verdict({ kind: 'unreadable', message: 'it is too long for an entry' });
    throw error;
  }
  if (wantedHash !== undefined && headAt === undefined) return verdict({ kind: 'head', message: missingHead(count, wantedCount) });
  return verdict();
}

const missingHead = (count: number, wanted: number | undefined) =>
  wanted !== undefined && wanted > count
    ? `the log ends after ${count} entries; the head that was noted is that of ${wanted}: entries at the end are missing`
    : 'the head that was noted is not in the log: entries at the end are missing, or the whole log was written anew';

async function problemOf(line: string, index: number, previous: string): Promise<Pick<ReceiptsBreak, 'kind' | 'message'> | undefined> {
  const entry = parseEntry(line);
  if (!entry) return { kind: 'unreadable', message: 'it is no JSON object: cut off, or changed' };
  if (entry.version !== 1) return { kind: 'unreadable', message: 'it is of a version that this package does not know, or changed' };
  if (canonicalJson(entry) !== line) return { kind: 'unreadable', message: 'it is not written as the log writes it: changed, or formatted by another program' };
  if ((await hashOf(entry as ReceiptEntry)) !== entry.hash) return { kind: 'changed', message: 'its content is not that of its hash: it was changed' };
  if (entry.index !== index)
    return { kind: 'unlinked', message: `it is entry ${entry.index}, where ${index} was to come: entries were removed, added or moved` };
  if (entry.previous !== previous) return { kind: 'unlinked', message: 'it does not follow from the entry before: one was changed, removed or added' };
  return undefined;
}
