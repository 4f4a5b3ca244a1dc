import { parseEntry, type ReceiptEntry } from '../receipts/entry.js';
import type { Row } from '../state-machine.js';
import type { LogLine, ReceiptLog } from '../store.js';

/** The number of lines that are read before and after the end of a report: lines come nearly in the order in which reports end. */
const NEAR = 1_000;

const endOf = (line: LogLine | undefined): number => Date.parse((line && parseEntry(line.line)?.endedAt) ?? '');

/**
 * Finds the line of a final report in the receipt log. An index by report would slow down each line, so it searches by the time of
 * the end. Undefined if the line is not near that time, for example after a jump of the clock, or is not written yet.
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
