import type { ClientMode } from '../../client/payloads.js';
import type { ReceiptOf } from '../../client/receipt.js';
import type { EnqueuedReport } from './enqueued-report.js';

/**
 * A report that is checked, located and frozen, and not stored yet: what `prepare` resolves with. Logs and JSON of it show
 * its `id` alone. It may be put aside: nothing is stored, and nothing waits.
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
  /** For `get`, `retry` and `resolve`: account, environment, operation and reference. */
  readonly id: string;
  /**
   * Enqueues it within your transaction; without an argument within the one that it was prepared for, if any, else in a commit of its own. Rejects as the report methods do, and with a
   * `ConfigurationError` for an `undefined` or `null` transaction. May be called again: the same bytes are the same report.
   */
  enqueue(transaction?: unknown): Promise<EnqueuedReport<Mode>>;
  /**
   * For a statement of your own (PostgreSQL): what the SQL function `enqueue` takes, of the schema in which the outbox has its store. The
   * report is then committed with that statement. Bind it as a parameter, since it holds the report, personal data
   * included (sealed where the outbox encrypts); libraries that print the parameters of a failed statement print it too.
   *
   * The function returns true where the report was added, and false where the same one was there. It fails the statement, and
   * your transaction with it: with SQLSTATE `LS003` where the outbox holds other data under the same reference, with `LS004` for
   * anything that is not a whole value of an outbox over this very store, and with `LS005` where the reports of this account go
   * to another gateway. Neither shows what was given.
   *
   * Throws a `ConfigurationError` where the store has no such function, or the report was prepared for a transaction. Not
   * enumerable.
   */
  readonly value: string;
  /**
   * The receipt of this very report. To read it, destructured too, begins the wait: do that after the commit. Rejects as the `done` of an
   * `EnqueuedReport`, and with a `DuplicateReportError` as soon as other data is seen under its reference. Of a report that is not in
   * the store five minutes later it rejects with an `AbortedError`. After a rejection it may be read again. Not enumerable.
   */
  readonly done: Promise<ReceiptOf<Mode>>;
}
