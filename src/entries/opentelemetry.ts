/** Metrics and traces through OpenTelemetry: `location-sdk/opentelemetry`. @module */
export { instrumentClient } from '../opentelemetry/instrument-client.js';
export { instrumentOutbox } from '../opentelemetry/instrument-outbox.js';
export type { InstrumentationOptions, OutboxInstrumentationOptions } from '../opentelemetry/instruments.js';
export { INSTRUMENTS } from '../opentelemetry/instruments.js';
