import type { ClientMode } from '../../client/payloads.js';
import type { ReceiptOf } from '../../client/receipt.js';
import type { Row } from '../state-machine.js';

/** A report that is committed to the store. */
export interface EnqueuedReport<Mode extends ClientMode = 'strict'> {
  /** The id for `get`, `retry` and `resolve`: account, environment (or `relay`), operation and reference. */
  readonly id: string;
  /** `'waiting'`, or the current state if the same report was enqueued before. */
  readonly state: Row['state'];
  /**
   * The receipt, once the gateway has recorded the report, or the outbox behind the relay has stored it. Rejects if the report is
   * quarantined or dismissed, or the outbox is stopped. If you do not use it, you need not handle the rejection. Not enumerable.
   * Read it after the commit of your own transaction: it also rejects if the report is not in the store five minutes later.
   */
  readonly done: Promise<ReceiptOf<Mode>>;
}
