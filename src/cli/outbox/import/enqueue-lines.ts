import { hasCode } from '../../../errors/errors.js';
import type { Intake } from '../../../outbox/intake/enqueue.js';
import { isRowError, LARGEST_COMMIT } from '../../../outbox/intake/insert-batch.js';
import { asRecord } from '../../../platform/as-record.js';
import { startProgress } from '../progress.js';
import type { Import } from './check.js';
import type { ImportLine } from './lines.js';

/** The progress of an import. It is updated after each row, so that it is also correct after an error. */
export interface Progress {
  enqueued: number;
  /** Reports that the outbox already had, with the same data. */
  already: number;
}

/** A batch ends after this number of characters, so that long lines do not fill the memory. */
const BATCH_LENGTH = 4 * 1024 * 1024;

/**
 * Enqueues every line that is not rejected, in the order of the file. A report that the outbox already has is not
 * enqueued again. A report that the store cannot hold becomes a rejected line, and the lines after it are enqueued.
 */
export async function enqueueLines(
  { source, read, shape: { operation, reference }, rejected }: Import,
  { prepare, accept }: Pick<Intake, 'prepare' | 'accept'>,
  progress: Progress,
): Promise<void> {
  const showProgress = startProgress('Enqueueing', source.size);
  let lines = 0;
  let batch: ImportLine[] = [];
  let length = 0;

  for await (const line of read()) {
    batch.push(line);
    length += line.length;
    if (batch.length < LARGEST_COMMIT && length < BATCH_LENGTH) continue;
    await commit();
    showProgress(source.position(), lines);
  }
  await commit();

  /** Enqueues the lines of a batch, which share a commit. */
  async function commit(): Promise<void> {
    // A file that was cut off ends as one that is whole.
    await source.expectUnchanged();
    const fit = batch.filter((line) => !rejected.has(line));
    lines += batch.length;
    [batch, length] = [[], 0];
    const prepared = await Promise.all(fit.map(({ payload }) => prepare({ operation, payload })));
    const results = await Promise.allSettled(prepared.map((ready) => accept(ready)));
    for (const [index, line] of fit.entries()) {
      const result = results[index];
      if (result?.status === 'rejected') rejected.add(line, [{ field: reference, reason: reasonOf(result.reason) }]);
      else if (result) progress[result.value.added ? 'enqueued' : 'already'] += 1;
    }
  }
}

/** The reason why the outbox did not take a report. Throws an error that is not about one report. */
function reasonOf(error: unknown): string {
  if (isRowError(error)) return `the outbox cannot store this report: ${asRecord(error).message}`;
  if (hasCode(error, 'duplicate')) return 'the outbox holds other data under this reference';
  // A retired key must not stop the lines after this one.
  if (hasCode(error, 'configuration') && error.reference !== undefined) return error.message;
  throw error;
}
