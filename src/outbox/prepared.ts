import { ConfigurationError } from '../errors.js';
import type { ClientMode } from '../payloads.js';
import { type Entrance, type Prepared, requireTransactions } from './enqueue.js';
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
  { settings: { store }, entrance, committed, wake }: Parts<Mode>,
): PreparedReport<Mode> {
  const { row, report } = prepared;
  const { id } = row;

  async function enqueue(transaction: unknown = prepared.transaction): Promise<EnqueuedReport<Mode>> {
    if (transaction !== undefined) requireTransactions(store);
    const enqueued = committed(await entrance.accept({ ...prepared, transaction }));
    wake();
    return enqueued;
  }

  function value(): string {
    if (store.asValue) return store.asValue(row);
    throw new ConfigurationError('value: the store of this outbox has no function for a statement of yours; that of PostgreSQL has. Use enqueue(transaction).');
  }

  const awaited = committed({ row: { id, state: 'waiting' }, location: report.location });
  // Neither is for printers: one holds the report, the other begins to wait.
  return Object.defineProperties({ id, enqueue }, { value: { get: value }, done: { get: () => awaited.done } }) as PreparedReport<Mode>;
}
