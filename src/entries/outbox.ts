/** The outbox: `location-sdk/outbox`. @module */

export type {
  AccountEnvironment,
  ConsoleStore,
  CountedPlaces,
  DecisionStep,
  FinalCounts,
  GroupQuery,
  GroupTally,
  KeptDecision,
  NewDecision,
  OpenCounts,
  PaceCount,
  RowPage,
  RowSearch,
  TouchedRows,
  Wrong,
  WrongCount,
} from '../outbox/console-store.js';
export { createOutbox } from '../outbox/create-outbox.js';
export { type BoundDestination, type Destination, type Gateways, otherGateway, type PauseReason, type Rebinding, type Rebound } from '../outbox/destination.js';
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
export { changePause, notPaused, type Pause, type PauseChange } from '../outbox/pause.js';
export type { ReceiptEntry, ReceiptHead } from '../outbox/receipts/entry.js';
export type { AnyIterable } from '../outbox/receipts/lines.js';
export type { ReconcileDefaults, Reconciled, ReportReference } from '../outbox/receipts/reconcile.js';
export { type ReceiptsBreak, type ReceiptsBreakKind, type ReceiptsVerdict, type VerifyReceiptsOptions, verifyReceipts } from '../outbox/receipts/verify.js';
export type { Pruned, PruneOptions, PruneRequest, PruneStep, Retention } from '../outbox/retention.js';
export type { EncryptionKey, OutboxEncryption } from '../outbox/seal/encryption.js';
export { missingKey, type Seal, type SealContext, type Sealed } from '../outbox/seal/seal.js';
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
} from '../outbox/state-machine.js';
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
} from '../outbox/store.js';
export { type MemoryStoreOptions, memoryStore } from '../outbox/stores/memory.js';
export type { ReportName } from '../protocol/operations.js';
