import type { ClientMode } from '../../client/payloads.js';
import type { ReceiptOf } from '../../client/receipt.js';
import { ConfigurationError } from '../../errors/errors.js';
import { memberOf } from '../../platform/as-record.js';
import type { EnqueuedReport } from '../interface.js';
import type { OperatorParts } from '../operator/parts.js';
import type { Own } from '../receipt-waiters.js';
import { type Entrance, otherData, type ReadyRow, requireTransactions } from './enqueue.js';
import type { PreparedReport } from './prepared-report.js';

/** The parts of an outbox that a prepared report uses. */
type Parts<Mode extends ClientMode> = Pick<OperatorParts<Mode>, 'settings' | 'waiters' | 'committed'> & {
  readonly entrance: Pick<Entrance, 'accept'>;
  /** Wakes the worker. */
  wake(): void;
};

/** Makes a report that is validated, located and frozen, and not stored yet. */
export function prepareReport<Mode extends ClientMode>(
  prepared: ReadyRow,
  { settings: { store, seal }, waiters, entrance, committed, wake }: Parts<Mode>,
): PreparedReport<Mode> {
  const { row, report } = prepared;
  const { id } = row;
  if (prepared.transaction === null)
    throw new ConfigurationError('transaction: expected your transaction; leave the option out if you have none. Nothing was stored.');
  // The user's statement may have failed or added no row, so the stored row may be other data.
  const own: Own = {
    acknowledged: false,
    matches: async (there) => seal.matches(there.fingerprint, report.body, there),
    refusal: (there) => otherData(report, there),
  };
  let awaited: Promise<ReceiptOf<Mode>> | undefined;

  async function enqueue(...given: readonly [transaction?: unknown]): Promise<EnqueuedReport<Mode>> {
    const [transaction = given.length === 0 ? prepared.transaction : null] = given;
    // Otherwise an undefined transaction, passed by mistake, would commit the report by itself.
    if (transaction === null)
      throw new ConfigurationError('enqueue: expected your transaction; call it without an argument for a separate commit. Nothing was enqueued.');
    if (transaction !== undefined) requireTransactions(store);
    const enqueued = committed(await entrance.accept({ ...prepared, transaction }));
    own.acknowledged = true;
    wake();
    return enqueued;
  }

  function value(): string {
    const refuse = (why: string) => new ConfigurationError(`value: ${why}. Nothing was enqueued.`);
    if (prepared.transaction !== undefined) throw refuse('the report was prepared for a transaction; call enqueue(), or leave out the option');
    const asValue = memberOf(store, 'asValue');
    if (!asValue) throw refuse('only the PostgreSQL store can enqueue in your own statement; call enqueue(transaction)');
    return asValue.call(store, row);
  }

  function done(): Promise<ReceiptOf<Mode>> {
    if (!awaited) {
      awaited = waiters.receiptFor(id, report.location, own) as Promise<ReceiptOf<Mode>>;
      // An unused promise that rejects must not end the process. A later read waits again, since the report may still be committed.
      awaited.catch(() => {
        awaited = undefined;
      });
    }
    return awaited;
  }

  // Both are not enumerable, so that loggers skip them: `value` holds the report, and reading `done` begins the wait.
  return Object.defineProperties({ id, enqueue }, { value: { get: value }, done: { get: done } }) as PreparedReport<Mode>;
}
