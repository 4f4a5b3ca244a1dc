import { AbortedError, ConfigurationError, isReportingError } from '../errors.js';
import type { ClientMode } from '../payloads.js';
import type { ReceiptOf } from '../receipt.js';
import { type Entrance, otherData, type Prepared, requireTransactions } from './enqueue.js';
import type { EnqueuedReport, PreparedReport } from './interface.js';
import type { OperatorParts } from './operator-methods.js';

/** What a prepared report needs of its outbox. */
type Parts<Mode extends ClientMode> = Pick<OperatorParts<Mode>, 'settings' | 'committed'> & {
  readonly entrance: Pick<Entrance, 'accept'>;
  /** Tells the worker that there is something to send. */
  wake(): void;
};

/** A report that is checked, located and frozen, and not stored yet. */
export function preparedReport<Mode extends ClientMode>(
  prepared: Prepared,
  { settings: { store, seal }, entrance, committed, wake }: Parts<Mode>,
): PreparedReport<Mode> {
  const { row, report } = prepared;
  const { id } = row;
  let awaited: Promise<ReceiptOf<Mode>> | undefined;

  async function enqueue(...given: readonly [transaction?: unknown]): Promise<EnqueuedReport<Mode>> {
    const [transaction = given.length === 0 ? prepared.transaction : null] = given;
    // A client that was forgotten would otherwise make a commit of its own.
    if (transaction === null) throw new ConfigurationError('enqueue: expected your transaction, or no argument for a commit of its own. Nothing was enqueued.');
    if (transaction !== undefined) requireTransactions(store);
    const enqueued = committed(await entrance.accept({ ...prepared, transaction }));
    wake();
    return enqueued;
  }

  function value(): string {
    const refuse = (why: string) => new ConfigurationError(`value: ${why}. Nothing was enqueued.`);
    if (prepared.transaction !== undefined) throw refuse('the report was prepared for a transaction; call enqueue(), or leave out the option');
    if (!store.asValue) throw refuse('the store of this outbox has no function for a statement of yours, as that of PostgreSQL has; call enqueue(transaction)');
    return store.asValue(row);
  }

  /** Whether other data is stored under the same reference; undefined where nothing is. */
  async function isOther(): Promise<boolean | undefined> {
    const [there] = await store.get([id]);
    return there && !(await seal.matches(there.fingerprint, report.body, there));
  }

  /** Of this report: a statement that was refused, or never sent, leaves the row of another one there. */
  async function receipt(): Promise<ReceiptOf<Mode>> {
    if (await isOther().catch(() => false)) throw otherData(report);
    const found = await committed({ row: { id, state: 'waiting' }, location: report.location }).done.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const other = await isOther();
    if (other) throw otherData(report);
    if ('value' in found) return found.value;
    if (other === false || !isReportingError(found.error)) throw found.error;
    const { outcome } = found.error;
    throw new AbortedError('This prepared report is not in the store: no statement or transaction with it has been committed so far.', { outcome });
  }

  function done(): Promise<ReceiptOf<Mode>> {
    if (!awaited) {
      awaited = receipt();
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
