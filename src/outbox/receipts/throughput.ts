import { DAY_MS } from '../../core/platform/time.js';
import { earlierLines, type LogLine, parseEntry } from '../rules/receipt-entry.js';
import type { OperatorStore, ThroughputCount } from '../store/operator-store.js';
import type { OutboxStore } from '../store/store.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The upper limits of the classes of reports, by their times from enqueueing to recording. */
export const THROUGHPUT_CLASSES: readonly number[] = [
  ...[1, 2, 5, 10, 30].map((seconds) => seconds * SECOND),
  ...[1, 5, 15].map((minutes) => minutes * MINUTE),
  ...[HOUR, 6 * HOUR, DAY_MS, 7 * DAY_MS],
];

export const SPANS: Readonly<Record<ThroughputCount['span'], { readonly stepMs: number; readonly keptMs: number }>> = {
  minute: { stepMs: MINUTE, keptMs: 3 * HOUR },
  hour: { stepMs: HOUR, keptMs: 7 * DAY_MS },
  day: { stepMs: DAY_MS, keptMs: Number.POSITIVE_INFINITY },
};

const PAGE = 1_000;

/** Counts lines by span and class. Ignores a line that cannot be read. */
function throughputOf(lines: readonly LogLine[], now: number): ThroughputCount[] {
  const counts = new Map<string, ThroughputCount & { recorded: number; dismissed: number; classes: number[] }>();
  for (const { line } of lines) {
    const entry = parseEntry(line) ?? {};
    const { account, environment, outcome, enqueuedAt = '', endedAt = '' } = entry;
    const ended = Date.parse(endedAt);
    if (account === undefined || environment === undefined || Number.isNaN(ended)) continue;
    const tookMs = Math.max(0, ended - Date.parse(enqueuedAt));
    for (const [span, { stepMs, keptMs }] of Object.entries(SPANS) as [
      ThroughputCount['span'],
      (typeof SPANS)['day'],
    ][]) {
      if (ended < now - keptMs) continue;
      const start = Math.floor(ended / stepMs) * stepMs;
      const key = `${span} ${start} ${account}:${environment}`;
      const empty = {
        span,
        start,
        account,
        environment,
        recorded: 0,
        dismissed: 0,
        classes: Array.from({ length: THROUGHPUT_CLASSES.length + 1 }, () => 0),
      };
      const count = counts.get(key) ?? empty;
      counts.set(key, count);
      if (outcome === 'dismissed') count.dismissed += 1;
      else count.recorded += 1;
      // A report that was reopened was counted as dismissed before.
      if ((earlierLines(entry) ?? 0) > 0) count.dismissed -= 1;
      // The time until a person's decision is not a time of the gateway.
      if (outcome === 'dismissed' || outcome === 'declared-recorded' || Number.isNaN(tookMs)) continue;
      const place = [...THROUGHPUT_CLASSES, Number.POSITIVE_INFINITY].findIndex((most) => tookMs <= most);
      count.classes[place] = (count.classes[place] ?? 0) + 1;
    }
  }
  return [...counts.values()];
}

/** Counts new lines, up to a number of pages. Returns how many are left. Each is counted once, by any process. */
export async function catchUpThroughput(
  { receipts }: Pick<OutboxStore, 'receipts'>,
  operator: OperatorStore,
  pages: number,
): Promise<number> {
  const end = ((await receipts.last())?.index ?? -1) + 1;
  let from = await operator.throughputEnd();
  for (let page = 0; page < pages && from < end; page += 1) {
    const lines = await receipts.read(from, Math.min(PAGE, end - from));
    if (lines.length === 0) break;
    const isAdded = await operator.addThroughput(from, from + lines.length, throughputOf(lines, await operator.now()));
    from = isAdded ? from + lines.length : await operator.throughputEnd();
  }
  return Math.max(0, end - from);
}
