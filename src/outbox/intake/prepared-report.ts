import type { ClientMode } from '../../client/payloads.js';
import type { ReceiptOf } from '../../client/receipt.js';
import type { EnqueuedReport } from './enqueued-report.js';

/**
 * The result of `prepare`: a report that is validated, located and frozen, and not stored yet. Logs and JSON show only
 * its `id`. You may discard it without a further call.
 *
 * @example
 * ```ts
 * const report = await outbox.prepare('reportSettledBet', bet);
 * await client.query('BEGIN');
 * await report.enqueue(client);
 * await client.query('COMMIT');
 * const receipt = await report.done;
 * ```
 */
export interface PreparedReport<Mode extends ClientMode = 'strict'> {
  /** The id for `get`, `retry` and `resolve`: account, environment, operation and reference. */
  readonly id: string;
  /**
   * Enqueues the report within your transaction. Without an argument: within the transaction that it was prepared for, or in a
   * separate commit. Rejects as the report methods do, and with a `ConfigurationError` for an `undefined` or `null` transaction.
   * You may call it again: the same bytes are the same report.
   */
  enqueue(transaction?: unknown): Promise<EnqueuedReport<Mode>>;
  /**
   * The argument of the SQL function `enqueue` (PostgreSQL), in the schema of the outbox's store. Your own statement then commits
   * the report. Bind the value as a parameter: it contains the report with its personal data (sealed if the outbox encrypts).
   * Libraries that print the parameters of a failed statement print it, too.
   *
   * The function returns true if it added the report, and false if the same report was there. An error fails your statement and
   * transaction. `LS003`: the outbox holds other data under the same reference. `LS004`: the value is not a complete value of an
   * outbox over this store. `LS005`: the reports of this account go to another gateway. The errors do not show the value.
   *
   * Throws a `ConfigurationError` if the store does not have this function, or the report was prepared for a transaction. Not
   * enumerable.
   */
  readonly value: string;
  /**
   * The receipt of this report. Reading or destructuring the property begins the wait: do that after the commit. Rejects as the
   * `done` of an `EnqueuedReport`, with a `DuplicateReportError` if the store holds other data under the reference, and with an
   * `AbortedError` if the report is not in the store five minutes later. You may read it again after a rejection. Not enumerable.
   */
  readonly done: Promise<ReceiptOf<Mode>>;
}
