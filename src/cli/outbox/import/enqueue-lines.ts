import type { AnyReport } from '../../../core/delivery/frozen-report.js';
import { hasCode } from '../../../core/errors/errors.js';
import { isStoreError } from '../../../core/errors/store-error.js';
import { asRecord } from '../../../core/platform/as-record.js';
import { operations, type ReportName } from '../../../core/protocol/operations.js';
import type { Intake } from '../../../outbox/intake/enqueue.js';
import { createInsertBatch, LARGEST_COMMIT } from '../../../outbox/intake/insert-batch.js';
import { sameReport } from '../../../outbox/intake/same-report.js';
import type { OutboxSettings } from '../../../outbox/settings.js';
import { startProgress } from '../progress.js';
import type { Import } from './check.js';
import type { ImportLine } from './lines.js';

export interface Progress {
  readonly enqueued: number;
  /** Reports that the outbox already had, with the same data. */
  readonly already: number;
  /** Those of them that are not sent in their state. */
  readonly quarantined: number;
  readonly dismissed: number;
}

/** In characters, so that long lines do not fill the memory. */
const BATCH_LENGTH = 4 * 1024 * 1024;

/**
 * Enqueues the lines that are not rejected, in their order. A report that the outbox already has is not enqueued again.
 * One that the store cannot hold becomes a rejected line. Yields the progress after each row, so that it is known when
 * a later row fails.
 */
export async function* enqueueLines(
  { source, read, rejected, operation }: Import & { readonly operation: ReportName },
  intake: Pick<Intake, 'prepare'>,
  settings: Pick<OutboxSettings, 'store' | 'seal' | 'clock'>,
): AsyncGenerator<Progress> {
  // Without `concurrent`: one commit after the other, in the order of the file.
  const enqueue = createInsertBatch({ enqueue: (rows) => settings.store.enqueue(rows) }, settings.clock);
  const showProgress = startProgress('Enqueueing', source.size);
  let [lines, enqueued, already, quarantined, dismissed] = [0, 0, 0, 0, 0];
  let batch: ImportLine[] = [];
  let length = 0;

  for await (const line of read()) {
    batch.push(line);
    length += line.length;
    if (batch.length < LARGEST_COMMIT && length < BATCH_LENGTH) continue;
    yield* commit();
    showProgress(source.position(), lines);
  }
  yield* commit();

  async function* commit(): AsyncGenerator<Progress> {
    // A file that was cut off ends as one that is whole.
    await source.expectUnchanged();
    const fit = batch.filter((line) => !rejected.has(line));
    lines += batch.length;
    [batch, length] = [[], 0];
    const prepared = await Promise.all(fit.map(({ payload }) => intake.prepare({ operation, payload })));
    const results = await Promise.allSettled(prepared.map(({ row }) => enqueue(row)));
    for (const [index, line] of fit.entries()) {
      const [result, report] = [results[index], prepared[index]?.report];
      const reason = result && report && (await tally(result, report));
      if (reason !== undefined) rejected.add(line, [{ field: operations[operation].reference, reason }]);
      yield { enqueued, already, quarantined, dismissed };
    }
  }

  /** Returns the reason why the outbox did not take the report, if there is one. */
  async function tally(
    result: PromiseSettledResult<Awaited<ReturnType<typeof enqueue>>>,
    report: AnyReport,
  ): Promise<string | undefined> {
    if (result.status === 'rejected') {
      if (!(isStoreError(result.reason) && result.reason.concerns === 'row')) throw result.reason;
      return `the outbox cannot store this report: ${asRecord(result.reason).message}`;
    }
    const { added, row } = result.value;
    if (added) {
      enqueued += 1;
      return undefined;
    }
    try {
      if (!(await sameReport(settings.seal, row, report))) return 'the outbox holds other data under this reference';
    } catch (error) {
      // A retired key must not stop the lines after this one.
      if (!hasCode(error, 'configuration')) throw error;
      return error.message;
    }
    already += 1;
    if (row.state === 'quarantined') quarantined += 1;
    if (row.state === 'dismissed') dismissed += 1;
    return undefined;
  }
}
