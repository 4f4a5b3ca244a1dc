import { parseEntry } from '../rules/receipt-entry.js';
import type { Row } from '../rules/state-machine.js';
import type { ReceiptLog } from '../store/store.js';

/** In lines before and after the end of a report: they come nearly in the order in which reports end. */
const NEAR = 1_000;

const endOf = (line: string | undefined): number => Date.parse((line && parseEntry(line)?.endedAt) ?? '');

/**
 * Finds the index of a final row's line by the time of its end: an index by report would slow down each line. Each part
 * of the log is read once. Undefined if the line is not near that time, as after a jump of the clock, or is not written
 * yet.
 */
export function createReceiptFinder({ read, last }: ReceiptLog): (row: Row) => Promise<number | undefined> {
  const indexes = new Map<string, number>();
  const areRead = new Set<number>();
  return async ({ id, changedAt }) => {
    const ended = Math.trunc(changedAt);
    const key = `${ended} ${id}`;
    if (indexes.has(key)) return indexes.get(key);
    let [low, high] = [0, ((await last())?.index ?? -1) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (endOf((await read(middle, 1))[0]?.line) < ended) low = middle + 1;
      else high = middle;
    }
    for (let part = Math.max(0, Math.floor(low / NEAR) - 1); part <= Math.floor(low / NEAR) + 1; part += 1) {
      if (areRead.has(part)) continue;
      const lines = await read(part * NEAR, NEAR);
      // The end of the log grows.
      if (lines.length === NEAR) areRead.add(part);
      for (const one of lines) indexes.set(`${endOf(one.line)} ${one.id}`, one.index);
    }
    return indexes.get(key);
  };
}
