/** The outbox: `location-sdk/outbox`. @module */

export { isStoreError, StoreError, type StoreErrorCode } from '../core/errors/store-error.js';
export type { ReportName } from '../core/protocol/operations.js';
export { createOutbox } from '../outbox/create-outbox.js';
export type { OutboxEvents } from '../outbox/events.js';
export type {
  BatchedReport,
  EnqueuedReport,
  Outbox,
  OutboxQuery,
  OutboxReport,
  OutboxStats,
  PreparedReport,
} from '../outbox/interface.js';
export type { OutboxOptions } from '../outbox/options.js';
export { type ReceiptsVerdict, verifyReceipts } from '../outbox/receipts/verify.js';
export type { ReceiptEntry, ReceiptHead } from '../outbox/rules/receipt-entry.js';
export type { Problem, RowState } from '../outbox/rules/state-machine.js';
export type { OutboxEncryption } from '../outbox/seal/encryption.js';
export type { OutboxStore } from '../outbox/store/store.js';
export { memoryStore } from '../outbox/stores/memory.js';
