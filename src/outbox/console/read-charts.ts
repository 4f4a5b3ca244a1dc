import type { PaceCount } from '../console-store.js';
import { catchUpPace, PACE_CLASSES, SPANS } from '../receipts/pace.js';
import type { ChartRange, ChartStep, Charts } from './charts.js';
import type { Narrowing } from './data.js';
import { type ConsoleParts, consoleOf, isShown } from './parts.js';

/** The span and the number of steps of each range. */
const RANGES: Readonly<Record<ChartRange, { readonly span: PaceCount['span']; readonly steps: number }>> = {
  minutes: { span: 'minute', steps: 60 },
  hours: { span: 'hour', steps: 48 },
  days: { span: 'day', steps: 30 },
};
const MOST_PAGES = 20;

/** Reads the charts: throughput and time to recording. */
export async function readCharts(parts: ConsoleParts, range: ChartRange, { account, environment }: Narrowing): Promise<Charts> {
  const console = consoleOf(parts, 'draw charts');
  const behind = await catchUpPace(parts.store, console, MOST_PAGES);
  const { span, steps } = RANGES[range];
  const { stepMs } = SPANS[span];
  const now = await console.now();
  const first = Math.floor(now / stepMs) * stepMs - (steps - 1) * stepMs;
  const counts = (await console.paces(span, first)).filter(
    (one) => isShown(parts, one.account) && (account ?? one.account) === one.account && (environment ?? one.environment) === one.environment,
  );
  const stepAt = (start: number) =>
    stepOf(
      start,
      counts.filter((one) => one.start === start),
    );
  return { range, stepMs, now, behind, steps: Array.from({ length: steps }, (_, index) => stepAt(first + index * stepMs)) };
}

/** Makes one step from the counts of all its places. */
export function stepOf(start: number, counts: readonly PaceCount[]): ChartStep {
  const sum = (number: (one: PaceCount) => number) => counts.reduce((total, one) => total + number(one), 0);
  const classes = [...PACE_CLASSES, 0].map((_, place) => sum((one) => one.classes[place] ?? 0));
  const timed = classes.reduce((total, one) => total + one, 0);
  return {
    start,
    recorded: sum((one) => one.recorded),
    dismissed: sum((one) => one.dismissed),
    medianMs: boundOf(classes, timed * 0.5),
    p95Ms: boundOf(classes, timed * 0.95),
    meanMs: timed > 0 ? Math.round(sum((one) => one.sumMs) / timed) : null,
  };
}

/** The upper limit of the class that contains the report with this number. Longer times get the limit of the last class. */
function boundOf(classes: readonly number[], wanted: number): number | null {
  let reached = 0;
  for (const [place, count] of classes.entries()) {
    reached += count;
    if (reached > 0 && reached >= wanted) return PACE_CLASSES[place] ?? PACE_CLASSES.at(-1) ?? null;
  }
  return null;
}
