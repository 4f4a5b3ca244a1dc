import { context, isSpanContextValid, type Link, type SpanContext, trace } from '@opentelemetry/api';
import { quietly } from './quietly.js';

/** The most reports with a link at the same time. Further reports are sent without a link. */
const MOST = 10_000;

/** The span in which a report was enqueued, for the spans of its attempts in the same process. */
export function createLinks() {
  const contexts = new Map<string, SpanContext>();
  return {
    /** The active span. */
    current: (): SpanContext | undefined =>
      quietly(() => {
        const active = trace.getSpanContext(context.active());
        return active && isSpanContextValid(active) ? active : undefined;
      }),
    remember(report: string, enqueuedIn: SpanContext | undefined): void {
      if (!enqueuedIn) return;
      contexts.delete(report);
      contexts.set(report, enqueuedIn);
      const [oldest] = contexts.keys();
      if (contexts.size > MOST && oldest !== undefined) contexts.delete(oldest);
    },
    linksOf(report: string): Link[] {
      const enqueuedIn = contexts.get(report);
      return enqueuedIn ? [{ context: enqueuedIn }] : [];
    },
    forget: (report: string): void => void contexts.delete(report),
  };
}
