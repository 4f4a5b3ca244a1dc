import { parseEntry, type ReceiptEntry } from '../receipts/entry.js';
import type { Row } from '../state-machine.js';
import type { LogLine, ReceiptLog } from '../store.js';

/** How many lines before and after the time of a report's end are looked at: lines come about in the order of ends. */
const NEAR = 1_000;

const endOf = (line: LogLine | undefined): number => Date.parse((line && parseEntry(line.line)?.endedAt) ?? '');

/**
 * The line of a final report in the log of receipts. The log has no index by report, which each line would pay for: the place is found
 * by the time of the end. Undefined where it is not near there, as after a jump of the clock, or not written yet.
 */
export async function findReceipt({ read, last }: ReceiptLog, { id, changedAt }: Row): Promise<Partial<ReceiptEntry> | undefined> {
  let [low, high] = [0, ((await last())?.index ?? -1) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [line] = await read(middle, 1);
    if (endOf(line) < Math.trunc(changedAt)) low = middle + 1;
    else high = middle;
  }
  const from = Math.max(0, low - NEAR);
  const found = (await read(from, 2 * NEAR)).find((line) => line.id === id);
  return found && parseEntry(found.line);
}
