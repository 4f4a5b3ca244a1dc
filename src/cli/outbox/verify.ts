import { createReadStream } from 'node:fs';
import { parseEntry, type ReceiptEntry } from '../../outbox/receipts/entry.js';
import type { AnyIterable } from '../../outbox/receipts/lines.js';
import { readReceipts } from '../../outbox/receipts/log.js';
import { type ReceiptsVerdict, verifyReceipts } from '../../outbox/receipts/verify.js';
import type { Row } from '../../outbox/state-machine.js';
import type { OutboxStore } from '../../outbox/store.js';
import { EXIT, Failure, printable, say } from '../output.js';
import type { OutboxValues } from './options.js';
import type { View } from './printable.js';
import { counted, startProgress } from './progress.js';

const BATCH = 500;

/** Checks the log of an outbox, and compares each report with its receipt. */
export async function verifyLog({ store }: View, { head, json }: OutboxValues): Promise<number> {
  const found: Found = { differing: [], pruned: 0 };
  const verdict = await verifyWithProgress(compared(store, readReceipts(store), found), head);
  return tell(verdict, { head, json, ...found });
}

/** The result of comparing reports with their receipts. */
interface Found {
  readonly differing: string[];
  pruned: number;
}

/** Checks an exported log. */
export async function verifyFile(file: string, { head, json }: OutboxValues): Promise<number> {
  try {
    return tell(await verifyWithProgress(createReadStream(file), head), { head, json, differing: [], pruned: 0 });
  } catch (error) {
    throw new Failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, EXIT.failed);
  }
}

async function verifyWithProgress(pieces: AsyncIterable<string | Uint8Array>, head: string | undefined): Promise<ReceiptsVerdict> {
  if (head !== undefined && !/^[0-9a-fA-F]{64}$/.test(head)) throw new Failure('--head must be a hash of 64 hexadecimal digits, as export prints it');
  const progress = startProgress('Read');
  try {
    return await verifyReceipts(counted(pieces, progress) satisfies AnyIterable<string | Uint8Array>, { head });
  } finally {
    progress.end();
  }
}

/** Yields the same lines, and collects the ids of reports that differ from their receipt. */
async function* compared(store: OutboxStore, lines: AsyncIterable<string>, found: Found): AsyncGenerator<string> {
  const prunedBefore = new Map<string, number | undefined>();
  /** Whether `prune` deleted a report, even if its reference was enqueued again since then. */
  const isPruned = async ({ account = '', endedAt = '' }: Partial<ReceiptEntry>, row: Row | undefined) => {
    if (!prunedBefore.has(account)) prunedBefore.set(account, await store.prunedBefore?.(account));
    const ended = Date.parse(endedAt);
    return ended < (prunedBefore.get(account) ?? Number.NEGATIVE_INFINITY) && (row === undefined || row.enqueuedAt > ended);
  };
  let batch: Partial<ReceiptEntry>[] = [];
  const look = async () => {
    const rows = await store.get(batch.map(({ id }) => id ?? ''));
    for (const [index, entry] of batch.entries()) {
      const row = rows[index];
      const state = entry.outcome === 'dismissed' ? 'dismissed' : 'recorded';
      if (row?.fingerprint === entry.fingerprint && row?.state === state) continue;
      if (await isPruned(entry, row)) found.pruned += 1;
      else if (found.differing.length < BATCH) found.differing.push(entry.id ?? '');
    }
    batch = [];
  };
  for await (const line of lines) {
    batch.push(parseEntry(line) ?? {});
    if (batch.length >= BATCH) await look();
    yield line;
  }
  await look();
}

function tell(verdict: ReceiptsVerdict, { head, json, differing, pruned }: { head: string | undefined; json: boolean | undefined } & Readonly<Found>): number {
  const { valid, count, head: found, afterHead, break: problem } = verdict;
  const sound = valid && differing.length === 0;
  if (json) {
    say(JSON.stringify({ ...verdict, valid: sound, differing, pruned }));
    return sound ? EXIT.done : EXIT.failed;
  }
  if (problem) say(`BROKEN at line ${problem.line}: ${printable(problem.message)}.`);
  say(`${problem ? 'Sound before it' : 'Sound'}: ${count.toLocaleString('en')} receipts${found ? `, head ${found.hash}` : ''}`);
  if (pruned > 0) say(`${pruned.toLocaleString('en')} of them are of reports that were pruned.`);
  for (const id of differing.slice(0, 20)) say(`CHANGED: the report ${printable(id)} differs from its receipt.`);
  if (differing.length > 20) say(`… and ${differing.length - 20} more.`);
  if (valid && head === undefined) say('Without --head, missing entries at the end are not noticed.');
  else if (valid) say(`The given head is in the log; ${afterHead === 0 ? 'nothing' : `${afterHead?.toLocaleString('en')} receipts`} came after it.`);
  return sound ? EXIT.done : EXIT.failed;
}
