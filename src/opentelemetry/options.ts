import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

/** The providers for telemetry. */
export interface InstrumentationOptions {
  /**
   * Makes the meter. Default: the global one. Start the SDK of OpenTelemetry first: a meter, unlike a tracer, does not
   * switch to a provider that is set later.
   */
  meterProvider?: MeterProvider | undefined;
  /** Makes the tracer. Default: the global one. */
  tracerProvider?: TracerProvider | undefined;
}

/** The options of `instrumentOutbox`: the providers for metrics and traces, and whether this process reports the store's gauges. */
export interface OutboxInstrumentationOptions extends InstrumentationOptions {
  /**
   * Whether this process queries the store for the gauges (reports by state, age of the oldest, pauses) at each
   * collection. They are the store's, so all processes report the same. Default: true.
   */
  observeStats?: boolean | undefined;
}

/** The name of the instrumentation, used by its meter and its tracer. */
export const SCOPE = 'location-sdk';
