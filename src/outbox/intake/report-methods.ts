import type { ClientMode } from '../../core/client/payloads.js';
import type { ReceiptOf } from '../../core/client/receipt.js';
import { ConfigurationError } from '../../core/errors/errors.js';
import { memberOf } from '../../core/platform/as-record.js';
import { allSettled, numbered } from '../../core/platform/portable.js';
import { ofReports } from '../../core/protocol/operations.js';
import type { EnqueuedReport, Outbox, OutboxReports, PreparedReport } from '../interface.js';
import type { Waiters } from '../sending/receipt-waiters.js';
import type { OutboxStore } from '../store/store.js';
import {
  type Committed,
  type Intake,
  type ReadyRow,
  type ReportCall,
  readReportByName,
  readReportList,
  requireTransactions,
} from './enqueue.js';
import { LARGEST_COMMIT } from './insert-batch.js';

interface IntakeParts {
  readonly intake: Intake;
  readonly waiters: Waiters;
  wake(): void;
}

export function toEnqueuedReport<Mode extends ClientMode>(
  { row, location }: Committed,
  waiters: Waiters,
): EnqueuedReport<Mode> {
  let done: Promise<ReceiptOf<Mode>> | undefined;
  const report = { id: row.id, state: row.state };
  // A getter, so that a million reports do not need a million promises.
  return Object.defineProperty(report, 'done', {
    get: () => (done ??= waiters.receiptFor(row, location) as Promise<ReceiptOf<Mode>>),
  }) as EnqueuedReport<Mode>;
}

export function reportMethods<Mode extends ClientMode>(
  { intake, waiters, wake }: IntakeParts,
  transaction?: unknown,
): OutboxReports<Mode> {
  return ofReports((operation) => async (payload: unknown, options?: unknown) => {
    const committed = await intake.commit({ operation, payload, options, transaction });
    wake();
    return toEnqueuedReport<Mode>(committed, waiters);
  });
}

export function batchMethods<Mode extends ClientMode>({
  store,
  ...parts
}: IntakeParts & { readonly store: OutboxStore }): Pick<Outbox<Mode>, 'reportAll' | 'within' | 'prepare'> {
  const { intake, waiters, wake } = parts;

  /** Prepares all rows first, so that they share a commit. */
  async function commitTogether(given: readonly ReportCall[]): Promise<PromiseSettledResult<EnqueuedReport<Mode>>[]> {
    const preparing: Promise<ReadyRow>[] = [];
    /** A settlement may take the location of a report before it in the list. */
    async function locationBefore(index: number, ids: readonly string[]) {
      for (const before of await allSettled(preparing.slice(0, index)))
        if (before.status === 'fulfilled' && ids.includes(before.value.row.id)) return before.value.report.location;
      return undefined;
    }
    for (const [index, one] of numbered(given))
      preparing.push((async () => intake.prepare(readReportByName(one), (ids) => locationBefore(index, ids)))());
    const prepared = await allSettled(preparing);
    const accept = async (one: (typeof prepared)[number]) => {
      const ready = one.status === 'fulfilled' ? one.value : await Promise.reject(one.reason);
      return toEnqueuedReport<Mode>(await intake.accept(ready), waiters);
    };
    return allSettled(prepared.map(accept));
  }

  function preparedReport(prepared: ReadyRow): PreparedReport<Mode> {
    const { row } = prepared;
    const report = {
      id: row.id,
      async enqueue(...given: readonly [transaction?: unknown]): Promise<EnqueuedReport<Mode>> {
        const [transaction] = given;
        // Otherwise an undefined transaction, passed by mistake, would commit the report by itself.
        if (given.length > 0 && isMissing(transaction))
          throw new ConfigurationError(
            'enqueue: expected your transaction; call it without an argument for a separate commit. Nothing was enqueued.',
          );
        if (transaction !== undefined) requireTransactions(store);
        const committed = await intake.accept(prepared, transaction);
        wake();
        return toEnqueuedReport(committed, waiters);
      },
    };

    function value(): string {
      const asValue = memberOf(store, 'asValue');
      if (!asValue)
        throw new ConfigurationError(
          'value: only the PostgreSQL store can enqueue in your own statement; call enqueue(transaction). Nothing was enqueued.',
        );
      return asValue.call(store, row);
    }

    // Not enumerable, so that loggers skip it: it holds the report.
    return Object.defineProperty(report, 'value', { get: value }) as PreparedReport<Mode>;
  }

  return {
    async reportAll(given: readonly ReportCall[]) {
      const reports = readReportList(given);
      const results: PromiseSettledResult<EnqueuedReport<Mode>>[] = [];
      for (let from = 0; from < reports.length; from += LARGEST_COMMIT)
        results.push(...(await commitTogether(reports.slice(from, from + LARGEST_COMMIT))));
      wake();
      return results;
    },
    within(transaction) {
      requireTransactions(store);
      // Without a transaction, the report would be committed even if the caller's work is rolled back.
      if (isMissing(transaction))
        throw new ConfigurationError('within: expected your transaction. Nothing was enqueued.');
      return reportMethods(parts, transaction);
    },
    prepare: async (operation, payload, options) =>
      preparedReport(await intake.prepare(readReportByName({ operation, payload, options }))),
  };
}

const isMissing = (transaction: unknown): boolean => transaction === undefined || transaction === null;
