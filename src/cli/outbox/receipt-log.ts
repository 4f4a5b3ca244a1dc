import { createReadStream } from 'node:fs';
import { printable, shownName } from '../../core/platform/messages.js';
import { appendReceipts, readHead, readReceipts } from '../../outbox/receipts/log.js';
import { verifyReceipts } from '../../outbox/receipts/verify.js';
import { fitsEntry, parseEntry, type ReceiptEntry } from '../../outbox/rules/receipt-entry.js';
import type { Row } from '../../outbox/rules/state-machine.js';
import type { OutboxStore } from '../../outbox/store/store.js';
import { wholeNumber } from '../args.js';
import { codeOf, EXIT, Failure, remark, say, sayAll } from '../output.js';
import type { OutboxValues, RunCommand } from './options.js';
import { grouped } from './text.js';

export const exportLog: RunCommand = async ({ store }, values) => {
  const from = readFrom(values);
  await appendReceipts(store);
  await sayAll(readReceipts(store, from), { exact: true });
  const head = await readHead(store);
  remark(
    head
      ? `${grouped(head.count)} receipts; the head is\n${head.hash}\nSave it in a place that the people who can change this file cannot change.\nOnly verify --head shows whether entries at the end were removed.`
      : 'There are no receipts yet.',
  );
  return EXIT.done;
};

function readFrom({ from = '0' }: OutboxValues): number {
  try {
    return wholeNumber(0, 9_999_999_999)(from);
  } catch (error) {
    throw error instanceof Failure ? new Failure(`--from ${error.message}; see --help`) : error;
  }
}

const BATCH = 500;

/** The reports of an outbox, compared with its receipts. */
interface Comparison {
  /** Ids of reports. */
  readonly differing: readonly string[];
  /** The number of receipts whose report was pruned. */
  readonly pruned: number;
}

const NOT_COMPARED: Comparison = { differing: [], pruned: 0 };

export const verifyLog: RunCommand = ({ store }, values) => {
  const { lines, result } = compareWithReports(store, readReceipts(store));
  return verify(lines(), result, values);
};

export async function verifyFile(file: string, values: OutboxValues): Promise<number> {
  try {
    return await verify(createReadStream(file), () => NOT_COMPARED, values);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} cannot be read (${codeOf(error)})`, EXIT.failed);
  }
}

/** Compares each report with its receipt while `lines` yields the receipts. `result` is known after the last one. */
function compareWithReports(store: OutboxStore, receipts: AsyncIterable<string>) {
  const differing: string[] = [];
  let pruned = 0;
  const prunedBefore = new Map<string, number | undefined>();
  /** Whether `prune` deleted a report, even if its reference was enqueued again since then. */
  const isPruned = async ({ account = '', endedAt = '' }: Partial<ReceiptEntry>, row: Row | undefined) => {
    if (!prunedBefore.has(account)) prunedBefore.set(account, await store.prunedBefore?.(account));
    const ended = Date.parse(endedAt);
    return (
      ended < (prunedBefore.get(account) ?? Number.NEGATIVE_INFINITY) && (row === undefined || row.enqueuedAt > ended)
    );
  };
  let batch: Partial<ReceiptEntry>[] = [];
  const look = async () => {
    const rows = await store.get(batch.map(({ id }) => id ?? ''));
    for (const [index, entry] of batch.entries()) {
      const row = rows[index];
      if (row && fitsEntry(row, entry)) continue;
      if (await isPruned(entry, row)) pruned += 1;
      else if (differing.length < BATCH) differing.push(entry.id ?? '');
    }
    batch = [];
  };
  async function* lines(): AsyncGenerator<string> {
    for await (const line of receipts) {
      batch.push(parseEntry(line) ?? {});
      if (batch.length >= BATCH) await look();
      yield line;
    }
    await look();
  }
  return { lines, result: (): Comparison => ({ differing, pruned }) };
}

async function verify(
  pieces: AsyncIterable<string | Uint8Array>,
  compared: () => Comparison,
  { head, json }: OutboxValues,
): Promise<number> {
  if (head !== undefined && !/^[0-9a-fA-F]{64}$/.test(head))
    throw new Failure('--head must be a hash of 64 hexadecimal digits, as export prints it');
  const verdict = await verifyReceipts(pieces, { head });
  const { valid, count, head: last, afterHead, break: problem } = verdict;
  const { differing, pruned } = compared();
  const sound = valid && differing.length === 0;
  if (json) {
    say(JSON.stringify({ ...verdict, valid: sound, differing, pruned }));
    return sound ? EXIT.done : EXIT.failed;
  }
  if (problem) say(`BROKEN at line ${problem.line}: ${printable(problem.message)}.`);
  say(`${problem ? 'Sound before it' : 'Sound'}: ${grouped(count)} receipts${last ? `, head ${last.hash}` : ''}`);
  if (pruned > 0) say(`${grouped(pruned)} of them are of reports that were pruned.`);
  for (const id of differing.slice(0, 20)) say(`CHANGED: the report ${shownName(id)} differs from its receipt.`);
  if (differing.length > 20) say(`… and ${differing.length - 20} more.`);
  if (valid && head === undefined) say('Without --head, missing entries at the end are not noticed.');
  else if (valid)
    say(
      `The given head is in the log; ${afterHead === 0 ? 'nothing' : `${grouped(afterHead ?? 0)} receipts`} came after it.`,
    );
  return sound ? EXIT.done : EXIT.failed;
}
