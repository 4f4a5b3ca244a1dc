import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, context, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** The context manager of the SDK for Node.js: the active context follows promises. */
export function followPromises(): () => void {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...given) => storage.run(active, () => work.apply(self, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  return () => context.disable();
}

/** One value of a metric, flat. */
export interface Point {
  readonly name: string;
  readonly attributes: object;
  /** For a histogram: the number of its values. */
  readonly value: number;
}

/** The SDK itself, with its exports. */
export function telemetry() {
  const spans = new InMemorySpanExporter();
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });

  async function collect() {
    metrics.reset();
    await reader.forceFlush();
    return metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  }

  return {
    options: { meterProvider, tracerProvider },
    tracerProvider,
    spans: () => spans.getFinishedSpans(),
    collect,
    async points(name: string): Promise<Point[]> {
      const found = (await collect()).filter(({ descriptor }) => descriptor.name === name);
      return found.flatMap(({ dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({
          name,
          attributes,
          value: typeof value === 'number' ? value : value.count,
        })),
      );
    },
    /** Everything that would be exported. */
    text: async () => {
      const told = spans.getFinishedSpans().map(({ name, attributes, status, events, links, resource }) => ({
        name,
        attributes,
        status,
        events,
        links,
        resource: resource.attributes,
      }));
      return JSON.stringify([told, await collect()]);
    },
    stop: () => Promise.all([meterProvider.shutdown(), tracerProvider.shutdown()]),
  };
}
