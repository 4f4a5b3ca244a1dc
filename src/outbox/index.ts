/** The outbox: `location-sdk/outbox`. */
export type { ReportName } from './enqueue.js';
export type { AboutReport, OutboxEvents, OutboxListener } from './events.js';
export type { BatchedReport, Drained, EnqueuedReport, EnqueueOptions, Outbox, OutboxQuery, OutboxReport, OutboxStats } from './interface.js';
export type { OutboxOptions, OutboxRetryOptions } from './options.js';
export { createOutbox } from './outbox.js';
export { changePause, notPaused, type Pause, type PauseChange, type PauseReason } from './pause.js';
export { type Change, claimed, type Decision, isClaimable, isFinal, LONGEST_WAIT_MS, type Problem, type Progress, type Row, type RowState } from './record.js';
export { plainSeal, type Seal, type SealContext, type Sealed } from './seal.js';
export type {
  ClaimRequest,
  Counts,
  Enqueued,
  LogLine,
  NewRow,
  OutboxStore,
  Outlook,
  ReceiptLog,
  RowQuery,
  Turn,
  TurnResult,
  Write,
} from './store.js';
export { type MemoryStoreOptions, memoryStore } from './stores/memory.js';
