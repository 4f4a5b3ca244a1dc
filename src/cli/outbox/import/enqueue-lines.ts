import { setTimeout as wait } from 'node:timers/promises';
import type { Entrance, ReadyRow } from '../../../outbox/intake/enqueue.js';
import { LARGEST_COMMIT } from '../../../outbox/intake/insert-batch.js';
import type { OutboxSettings } from '../../../outbox/settings-shape.js';
import type { ImportLine, ReadLines } from './lines.js';
import { startBar } from './progress-bar.js';
import type { Rejected } from './rejected.js';
import { problemsBefore, problemsOf, referenceOf } from './report-of.js';
import type { Shape } from './shape.js';
import type { Source } from './source.js';

/** What enqueueing a file needs. */
export interface EnqueueRequest {
  readonly source: Source;
  readonly read: ReadLines;
  readonly shape: Shape;
  readonly entrance: Pick<Entrance, 'prepare'>;
  readonly settings: Pick<OutboxSettings, 'store' | 'seal'>;
  readonly rejected: Rejected;
  /** Lines that were refused for a conflict when the file was checked. */
  readonly conflicts: ReadonlySet<number>;
  /** Reports a second. */
  readonly rate: number | undefined;
  readonly signal: AbortSignal;
}

/** How far it came; told while it goes on, so that it is known after an error too. */
export interface Progress {
  enqueued: number;
  /** Reports that the outbox held already, with the same data. */
  already: number;
  /** The last line that is done. */
  line: number;
}

interface Ready {
  readonly line: ImportLine;
  readonly prepared: ReadyRow;
}

/** With a rate, so many batches a second at most. */
const BATCHES_A_SECOND = 5;
/** So much of the file goes into one batch, so that long lines fill no memory. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Enqueues every line that is right, in the order of the file. Whatever was enqueued before is found there, and is not enqueued again. */
export async function enqueueLines(request: EnqueueRequest, progress: Progress): Promise<void> {
  const { source, read, shape, entrance, settings, rejected, conflicts, rate, signal } = request;
  const largest = rate === undefined ? LARGEST_COMMIT : Math.min(LARGEST_COMMIT, Math.max(1, Math.ceil(rate / BATCHES_A_SECOND)));
  const bar = startBar('Enqueueing', source.size);
  const began = performance.now();
  let lines = 0;
  let batch: ImportLine[] = [];
  /** Where the block before ends, and where that of the first line of the batch begins. */
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
    await commit();
  } finally {
    bar.end();
  }

  async function prepare(line: ImportLine): Promise<Ready | undefined> {
    if (!line.payload || problemsBefore(line, shape).length > 0) return undefined;
    try {
      return { line, prepared: await entrance.prepare({ operation: shape.operation, payload: line.payload }) };
    } catch (error) {
      // It was refused when the file was checked.
      if (problemsOf(error)) return undefined;
      throw error;
    }
  }

  async function commit(): Promise<void> {
    const ready = (await Promise.all(batch.map(prepare))).filter((one) => one !== undefined);
    lines += batch.length;
    batch = [];
    if (ready.length === 0) return;
    const enqueued = await settings.store.enqueue(ready.map(({ prepared }) => prepared.row));
    for (const [index, { prepared, line }] of ready.entries()) {
      const one = enqueued[index];
      if (!one) throw new Error('The store did not say what became of the row.');
      if (one.added) progress.enqueued += 1;
      else if (await settings.seal.matches(one.row.fingerprint, prepared.report.body, one.row)) progress.already += 1;
      // Another process was faster with other data.
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
