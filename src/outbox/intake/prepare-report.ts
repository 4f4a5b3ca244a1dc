import type { ClientMode } from '../../client/payloads.js';
import type { ReceiptOf } from '../../client/receipt.js';
import { ConfigurationError } from '../../errors/errors.js';
import { memberOf } from '../../platform/as-record.js';
import type { EnqueuedReport } from '../interface.js';
import type { OperatorParts } from '../operator/parts.js';
import type { Own } from '../receipt-waiters.js';
import { type Entrance, otherData, type ReadyRow, requireTransactions } from './enqueue.js';
import type { PreparedReport } from './prepared-report.js';

/** What a prepared report needs of its outbox. */
type Parts<Mode extends ClientMode> = Pick<OperatorParts<Mode>, 'settings' | 'waiters' | 'committed'> & {
  readonly entrance: Pick<Entrance, 'accept'>;
  /** Tells the worker that there is something to send. */
  wake(): void;
};

/** A report that is checked, located and frozen, and not stored yet. */
export function prepareReport<Mode extends ClientMode>(
  prepared: ReadyRow,
  { settings: { store, seal }, waiters, entrance, committed, wake }: Parts<Mode>,
): PreparedReport<Mode> {
  const { row, report } = prepared;
  const { id } = row;
  if (prepared.transaction === null) throw new ConfigurationError('transaction: expected your transaction; without one leave it out. Nothing was stored.');
  // A statement that was refused, or that changed no row, leaves what was there.
  const own: Own = { acknowledged: false, matches: async (there) => seal.matches(there.fingerprint, report.body, there), refusal: () => otherData(report) };
  let awaited: Promise<ReceiptOf<Mode>> | undefined;

  async function enqueue(...given: readonly [transaction?: unknown]): Promise<EnqueuedReport<Mode>> {
    const [transaction = given.length === 0 ? prepared.transaction : null] = given;
    // A client that was forgotten would otherwise make a commit of its own.
    if (transaction === null) throw new ConfigurationError('enqueue: expected your transaction, or no argument for a commit of its own. Nothing was enqueued.');
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
      // Whoever does not look at it must not lose the process to it; and what was not there may come yet.
      awaited.catch(() => {
        awaited = undefined;
      });
    }
    return awaited;
  }

  // Neither is for printers: one holds the report, the other begins to wait.
  return Object.defineProperties({ id, enqueue }, { value: { get: value }, done: { get: done } }) as PreparedReport<Mode>;
}
