import { appendReceipts, readHead, readReceipts } from '../../outbox/receipts/log.js';
import { EXIT, remark, sayAll } from '../output.js';
import type { OutboxValues } from './options.js';
import type { View } from './printable.js';
import { counted, startProgress } from './progress.js';

/** Writes the log of receipts to standard output. */
export async function exportLog({ store }: View, { from = 0 }: OutboxValues): Promise<number> {
  await appendReceipts(store);
  const progress = startProgress('Exported');
  await sayAll(counted(readReceipts(store, from), progress), { exact: true });
  progress.end();
  const head = await readHead(store);
  remark(
    head
      ? `${head.count.toLocaleString('en')} receipts; the head is\n${head.hash}\nSave it in a place that the people who can change this file cannot change.\nOnly verify --head shows whether entries at the end were removed.`
      : 'There are no receipts yet.',
  );
  return EXIT.done;
}
