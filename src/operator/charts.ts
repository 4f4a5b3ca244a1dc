import { catchUpThroughput, SPANS, THROUGHPUT_CLASSES } from '../outbox/receipts/throughput.js';
import type { ThroughputCount } from '../outbox/store/operator-store.js';
import { isShown, type OperatorContext } from './context.js';

type ChartRange = 'minutes' | 'hours' | 'days';

/**
 * The counters are updated from the receipt log in the background: they slow down neither enqueueing nor sending, and a
 * chart of 30 days reads only some hundred rows.
 */
export interface Charts {
  readonly range: ChartRange;
  /** Also empty ones, the oldest first. Days begin at midnight UTC. */
  readonly steps: readonly ChartStep[];
  /** The number of receipts that are not counted yet. */
  readonly behind: number;
}

interface ChartStep {
  readonly start: number;
  readonly recorded: number;
  readonly dismissed: number;
  /** Times from enqueueing to recording by the gateway, as upper limits of classes. Null where there is none. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
}

const RANGES: Readonly<Record<ChartRange, { readonly span: ThroughputCount['span']; readonly steps: number }>> = {
  minutes: { span: 'minute', steps: 60 },
  hours: { span: 'hour', steps: 48 },
  days: { span: 'day', steps: 30 },
};
const MOST_PAGES = 20;

export async function readCharts(context: OperatorContext, range: ChartRange): Promise<Charts> {
  const { operator: store } = context;
  const behind = await catchUpThroughput(context.store, store, MOST_PAGES);
  const { span, steps } = RANGES[range];
  const { stepMs } = SPANS[span];
  const now = await store.now();
  const first = Math.floor(now / stepMs) * stepMs - (steps - 1) * stepMs;
  const counts = (await store.throughput(span, first)).filter(({ account }) => isShown(context, account));
  return { range, behind, steps: Array.from({ length: steps }, (_, index) => stepOf(first + index * stepMs, counts)) };
}

function stepOf(start: number, all: readonly ThroughputCount[]): ChartStep {
  const counts = all.filter((one) => one.start === start);
  const sum = (number: (one: ThroughputCount) => number) => counts.reduce((total, one) => total + number(one), 0);
  const classes = [...THROUGHPUT_CLASSES, 0].map((_, place) => sum((one) => one.classes[place] ?? 0));
  const dismissed = sum((one) => one.dismissed);
  const timed = classes.reduce((total, one) => total + one, 0);
  return {
    start,
    recorded: sum((one) => one.recorded),
    // Negative if more reports ended that had been dismissed in an earlier step.
    dismissed: Math.max(0, dismissed),
    medianMs: boundOf(classes, timed * 0.5),
    p95Ms: boundOf(classes, timed * 0.95),
  };
}

/** The upper limit of the class that contains the report with this number. */
function boundOf(classes: readonly number[], wanted: number): number | null {
  let reached = 0;
  for (const [place, count] of classes.entries()) {
    reached += count;
    if (reached > 0 && reached >= wanted) return THROUGHPUT_CLASSES[place] ?? THROUGHPUT_CLASSES.at(-1) ?? null;
  }
  return null;
}
