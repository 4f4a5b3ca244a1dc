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

/** The ids of reports that differ from their receipts, and the number of receipts whose report was pruned. */
const newComparison = () => ({ differing: new Set<string>(), pruned: 0 });

export const verifyLog: RunCommand = ({ store }, values) => {
  const comparison = newComparison();
  return verify(compareWithReports(store, comparison), values, comparison);
};

export async function verifyFile(file: string, values: OutboxValues): Promise<number> {
  try {
    return await verify(createReadStream(file), values);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} cannot be read (${codeOf(error)})`, EXIT.failed);
  }
}

/** Yields the receipts. Each is compared with its report by the end. */
async function* compareWithReports(
  store: OutboxStore,
  comparison: ReturnType<typeof newComparison>,
): AsyncGenerator<string> {
  const { differing } = comparison;
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
      if (await isPruned(entry, row)) comparison.pruned += 1;
      else differing.add(entry.id ?? '');
    }
    batch = [];
  };
  for await (const line of readReceipts(store)) {
    batch.push(parseEntry(line) ?? {});
    if (batch.length >= BATCH) await look();
    yield line;
  }
  await look();
}

async function verify(
  pieces: AsyncIterable<string | Uint8Array>,
  { head, json }: OutboxValues,
  comparison = newComparison(),
): Promise<number> {
  if (head !== undefined && !/^[0-9a-fA-F]{64}$/.test(head))
    throw new Failure('--head must be a hash of 64 hexadecimal digits, as export prints it');
  const verdict = await verifyReceipts(pieces, { head });
  const { valid, count, head: last, afterHead, break: problem } = verdict;
  const { pruned } = comparison;
  const differing = [...comparison.differing];
  const changed = differing.length;
  const sound = valid && changed === 0;
  if (json) {
    say(JSON.stringify({ ...verdict, valid: sound, differing: differing.slice(0, BATCH), changed, pruned }));
    return sound ? EXIT.done : EXIT.failed;
  }
  if (problem) say(`BROKEN at line ${problem.line}: ${printable(problem.message)}.`);
  say(`${problem ? 'Sound before it' : 'Sound'}: ${grouped(count)} receipts${last ? `, head ${last.hash}` : ''}`);
  if (pruned > 0) say(`${grouped(pruned)} of them are of reports that were pruned.`);
  for (const id of differing.slice(0, 20)) say(`CHANGED: the report ${shownName(id)} differs from its receipt.`);
  if (changed > 20) say(`… and ${grouped(changed - 20)} more.`);
  if (valid && head === undefined) say('Without --head, missing entries at the end are not noticed.');
  else if (valid)
    say(
      `The given head is in the log; ${afterHead === 0 ? 'nothing' : `${grouped(afterHead ?? 0)} receipts`} came after it.`,
    );
  return sound ? EXIT.done : EXIT.failed;
}
