import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

/** Where telemetry goes. */
export interface InstrumentationOptions {
  /** Makes the meter. Default: the global one, so start the SDK of OpenTelemetry first: unlike traces, metrics are not handed over later. */
  meterProvider?: MeterProvider | undefined;
  /** Makes the tracer. Default: the global one. */
  tracerProvider?: TracerProvider | undefined;
}

/** What `instrumentOutbox` takes: where metrics and traces go, and whether this process tells of the store. */
export interface OutboxInstrumentationOptions extends InstrumentationOptions {
  /**
   * Whether this process asks the store for the gauges (reports by state, age of the oldest, pauses) at each collection.
   * They are the store's, so all processes tell the same. Default: true.
   */
  observeStats?: boolean | undefined;
}

/** The name of the instrumentation, as its meter and its tracer have it. */
export const SCOPE = 'location-sdk';
