import { setTimeout as wait } from 'node:timers/promises';
import type { Entrance, ReadyRow } from '../../../outbox/intake/enqueue.js';
import { createInsertBatch, isOfARow, LARGEST_COMMIT } from '../../../outbox/intake/insert-batch.js';
import { hasBytes } from '../../../outbox/seal/seal.js';
import type { OutboxSettings } from '../../../outbox/settings-shape.js';
import { asRecord } from '../../../platform/as-record.js';
import type { ImportLine, ReadLines } from './lines.js';
import { startBar } from './progress-bar.js';
import type { Rejected } from './rejected.js';
import { problemsBefore, problemsOf, referenceOf } from './report-of.js';
import type { Shape } from './shape.js';
import type { Source } from './source.js';

/** The inputs for enqueueing a file. */
export interface EnqueueRequest {
  readonly source: Pick<Source, 'size' | 'expectUnchanged'>;
  readonly read: ReadLines;
  readonly shape: Shape;
  readonly entrance: Pick<Entrance, 'prepare'>;
  readonly settings: Pick<OutboxSettings, 'store' | 'seal' | 'clock'>;
  readonly rejected: Rejected;
  /** Lines that the check refused because of a conflict. */
  readonly conflicts: ReadonlySet<number>;
  /** The limit of reports per second, if there is one. */
  readonly rate: number | undefined;
  readonly signal: AbortSignal;
}

/** The progress of an import. It is updated after each row, so that it is also correct after an error. */
export interface Progress {
  enqueued: number;
  /** Reports that the outbox already had, with the same data. */
  already: number;
  /** The last finished line. */
  line: number;
}

interface Ready {
  readonly line: ImportLine;
  readonly prepared: ReadyRow;
}

/** The limit of batches per second if a rate is set. */
const BATCHES_A_SECOND = 5;
/** A batch ends after this number of bytes, so that long lines do not fill the memory. */
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Enqueues every valid line, in the order of the file. A report that the outbox already has is not enqueued again. A report
 * that the store cannot hold is a rejected line, and the lines after it are enqueued.
 */
export async function enqueueLines(request: EnqueueRequest, progress: Progress): Promise<void> {
  const { source, read, shape, entrance, settings, rejected, conflicts, rate, signal } = request;
  const largest = rate === undefined ? LARGEST_COMMIT : Math.min(LARGEST_COMMIT, Math.max(1, Math.ceil(rate / BATCHES_A_SECOND)));
  // Without `concurrent`: one commit after the other, in the order of the file.
  const enqueue = createInsertBatch({ enqueue: (rows) => settings.store.enqueue(rows) }, settings.clock);
  const bar = startBar('Enqueueing', source.size);
  const began = performance.now();
  let lines = 0;
  let batch: ImportLine[] = [];
  /** Positions in the file: the end of the previous block, and the start of the block with the first line of the batch. */
  let [before, from] = [0, 0];

  try {
    for await (const { lines: some, end } of read()) {
      await source.expectUnchanged();
      for (const line of some) {
        if (batch.length === 0) from = before;
        batch.push(line);
        if (batch.length < largest) continue;
        await commit();
        bar.show(end, lines);
        if (signal.aborted) return;
      }
      if (end - from >= BATCH_BYTES) await commit();
      before = end;
      bar.show(end, lines);
      if (signal.aborted) return;
    }
    // A file that was cut off ends as one that is whole.
    await source.expectUnchanged();
    await commit();
  } finally {
    bar.end();
  }

  async function prepare(line: ImportLine): Promise<Ready | undefined> {
    if (!line.payload || problemsBefore(line, shape).length > 0) return undefined;
    try {
      return { line, prepared: await entrance.prepare({ operation: shape.operation, payload: line.payload }) };
    } catch (error) {
      // The check has already refused this line.
      if (problemsOf(error)) return undefined;
      throw error;
    }
  }

  async function commit(): Promise<void> {
    const ready = (await Promise.all(batch.map(prepare))).filter((one) => one !== undefined);
    lines += batch.length;
    batch = [];
    if (ready.length === 0) return;
    const enqueued = await Promise.allSettled(ready.map(({ prepared }) => enqueue(prepared.row)));
    for (const [index, { prepared, line }] of ready.entries()) {
      const result = enqueued[index];
      if (result?.status !== 'fulfilled') {
        const error: unknown = result?.reason;
        if (!isOfARow(error)) throw error;
        const reason = `the outbox cannot store this report: ${asRecord(error).message}`;
        rejected.add(line.line, [{ field: shape.reference, reason }], referenceOf(line, shape));
        progress.line = line.line;
        continue;
      }
      const one = result.value;
      if (one.added) progress.enqueued += 1;
      else if (await hasBytes(settings.seal, one.row, prepared.report.body)) progress.already += 1;
      // Another process has enqueued other data under this reference.
      else if (!conflicts.has(line.line))
        rejected.add(line.line, [{ field: shape.reference, reason: 'the outbox holds other data under this reference' }], referenceOf(line, shape));
      progress.line = line.line;
    }
    if (rate !== undefined) await keepPace(began + (progress.enqueued / rate) * 1_000);
  }

  async function keepPace(until: number): Promise<void> {
    const milliseconds = until - performance.now();
    if (milliseconds <= 0) return;
    try {
      await wait(milliseconds, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
