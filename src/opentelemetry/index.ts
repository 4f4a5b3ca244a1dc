/** Metrics and traces through OpenTelemetry: `location-sdk/opentelemetry`. @module */
export { instrumentClient } from './instrument-client.js';
export { instrumentOutbox } from './instrument-outbox.js';
export { INSTRUMENTS, type InstrumentName, type InstrumentRow } from './instruments.js';
export type { InstrumentationOptions, OutboxInstrumentationOptions } from './options.js';
