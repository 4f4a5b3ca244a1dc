/** The outbox: `location-sdk/outbox`. @module */
export { type BoundDestination, type Destination, type Gateways, otherGateway, type Rebinding, type Rebound } from './destination.js';
export type { EncryptionKey, OutboxEncryption } from './encryption.js';
export type { ReportName } from './enqueue.js';
export type { AboutReport, OutboxEvents, OutboxListener } from './events.js';
export type {
  BatchedReport,
  Drained,
  EnqueuedReport,
  EnqueueOptions,
  Outbox,
  Outboxes,
  OutboxQuery,
  OutboxReport,
  OutboxReports,
  OutboxStats,
} from './interface.js';
export type { AccountsOptions, OutboxOptions, OutboxRetryOptions } from './options.js';
export { createOutbox } from './outbox.js';
export { changePause, notPaused, type Pause, type PauseChange, type PauseReason } from './pause.js';
export type { PreparedReport } from './prepared-report.js';
export type { ReceiptEntry, ReceiptHead } from './proof/entry.js';
export type { AnyIterable } from './proof/lines.js';
export type { ReconcileDefaults, Reconciled, ReportReference } from './proof/reconcile.js';
export { type ReceiptsBreak, type ReceiptsBreakKind, type ReceiptsVerdict, type VerifyReceiptsOptions, verifyReceipts } from './proof/verify.js';
export {
  type Change,
  claimed,
  type Decision,
  isClaimable,
  isFinal,
  LONGEST_WAIT_MS,
  type Problem,
  type ProblemCode,
  type Progress,
  type Row,
  type RowState,
} from './record.js';
export { missingKey, type Seal, type SealContext, type Sealed } from './seal.js';
export type {
  Claimant,
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
