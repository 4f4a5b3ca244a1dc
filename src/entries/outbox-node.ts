/** Graceful shutdown of a process with an outbox: `location-sdk/outbox/node`. @module */
export { type StopOnSignalsOptions, type StopSignal, stopOnSignals } from '../node/stop-on-signals.js';
