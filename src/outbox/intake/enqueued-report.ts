import type { ClientMode } from '../../client/payloads.js';
import type { ReceiptOf } from '../../client/receipt.js';
import type { Row } from '../state-machine.js';

/** A report that is committed to the store. */
export interface EnqueuedReport<Mode extends ClientMode = 'strict'> {
  /** For `get`, `retry` and `resolve`: account, environment (or `relay`), operation and reference. */
  readonly id: string;
  /** `'waiting'`, or where the same bytes had been enqueued before, how far they are. */
  readonly state: Row['state'];
  /**
   * The receipt, once the gateway holds the report, or the outbox behind the relay. Rejects once it is quarantined or dismissed, or the outbox is
   * stopped; code that does not use it need not handle the rejection. Not enumerable. Of a report in your own transaction, look
   * at it after the commit: where the report is not in the store five minutes later, it rejects too.
   */
  readonly done: Promise<ReceiptOf<Mode>>;
}
