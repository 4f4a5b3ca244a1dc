/** The outbox: `location-sdk/outbox`. @module */

export { createOutbox } from '../outbox/create-outbox.js';
export type { PauseReason } from '../outbox/destination.js';
export type { AboutReport, OutboxEvents, OutboxListener } from '../outbox/events.js';
export type { PreparedReport } from '../outbox/intake/prepared-report.js';
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
  ReportOf,
} from '../outbox/interface.js';
export type { AccountsOptions, OutboxOptions, OutboxRetryOptions } from '../outbox/options.js';
export type { CreateOutbox } from '../outbox/outbox.js';
export type { ReceiptEntry, ReceiptHead } from '../outbox/receipts/entry.js';
export type { AnyIterable } from '../outbox/receipts/lines.js';
export type { ReconcileDefaults, Reconciled, ReportReference } from '../outbox/receipts/reconcile.js';
export { type ReceiptsBreak, type ReceiptsBreakKind, type ReceiptsVerdict, type VerifyReceiptsOptions, verifyReceipts } from '../outbox/receipts/verify.js';
export type { Pruned, PruneOptions } from '../outbox/retention.js';
export type { EncryptionKey, OutboxEncryption } from '../outbox/seal/encryption.js';
export { missingKey, type Seal, type SealContext, type Sealed } from '../outbox/seal/seal.js';
export type { Decision, Problem, ProblemCode, RowState } from '../outbox/state-machine.js';
export type { Counts, OutboxStore } from '../outbox/store.js';
export { type MemoryStoreOptions, memoryStore } from '../outbox/stores/memory.js';
export type { ReportName } from '../protocol/operations.js';
