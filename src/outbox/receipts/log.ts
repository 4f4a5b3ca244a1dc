import { asRecord } from '../../core/platform/as-record.js';
import { type Clock, withTimeout } from '../../core/platform/time.js';
import type { Events, StoreFailed } from '../events.js';
import { headOfLine, linkRows, type ReceiptHead } from '../rules/receipt-entry.js';
import { announceWentBack } from '../sending/restored-database.js';
import type { OutboxStore } from '../store/store.js';
import { catchUpThroughput } from './throughput.js';

const PAGE = 500;
/** The wait between the end of a row and its line, so that several lines share a commit. */
const DELAY_MS = 200;
/** The wait before the next try, if the store has failed. */
const RETRY_MS = 10_000;
/** The wait between new lines and their count for the charts, so that several appends share a count. */
const THROUGHPUT_DELAY_MS = 2_000;
/** A long log that no outbox has counted is counted step by step. */
const THROUGHPUT_PAGES = 10;
/** The number of appends that may lose against another process, which then writes the same lines. */
const MOST_LOST = 10;

/** Adds the missing lines to the log. Returns the new head if it added any. `onEnd` gets the count before them. */
export async function appendReceipts(
  { receipts }: OutboxStore,
  onEnd: (count: number) => void = () => {},
): Promise<ReceiptHead | undefined> {
  let added: ReceiptHead | undefined;
  for (let lost = 0; lost < MOST_LOST; ) {
    // The end of the log first: then the lines are only added if no row was logged, reopened and ended again since.
    const last = await receipts.last();
    onEnd((last?.index ?? -1) + 1);
    const rows = await receipts.unlogged(PAGE);
    if (rows.length === 0) break;
    const { lines, head } = await linkRows(rows, last);
    if (await receipts.append(lines)) added = head;
    else lost += 1;
  }
  return added;
}

/** The lines of the log with their line breaks, up to its end at the time of the call. */
export async function* readReceipts({ receipts }: OutboxStore, from = 0): AsyncGenerator<string> {
  const end = ((await receipts.last())?.index ?? -1) + 1;
  for (let index = from; index < end; ) {
    const lines = await receipts.read(index, Math.min(PAGE, end - index));
    if (lines.length === 0) return;
    for (const { line } of lines) yield `${line}\n`;
    index += lines.length;
  }
}

export async function readHead({ receipts }: OutboxStore): Promise<ReceiptHead | undefined> {
  const last = await receipts.last();
  return last && { count: last.index + 1, hash: headOfLine(last.line) };
}

interface ReceiptLogParts {
  readonly store: OutboxStore;
  readonly clock: Clock;
  readonly events: Events;
  readonly storeFailed: StoreFailed;
}

const lostEntries = ({ count, hash }: ReceiptHead, left: number): string =>
  `It has ${left} receipts, and had ${count} with the head ${hash}. The gateway may hold reports that it does not know: follow the guide for a failover (On call).`;

/** Adds lines to the log in the background, soon after rows end. */
export function createReceiptLog({ store, clock, events, storeFailed }: ReceiptLogParts) {
  let timer: unknown;
  let throughputTimer: unknown;
  let running: Promise<void> | undefined;
  let isStopped = false;
  /** The last head that this process has added. The log only grows. */
  let known: ReceiptHead | undefined;

  async function append(): Promise<void> {
    let left = Number.POSITIVE_INFINITY;
    const head = await appendReceipts(store, (count) => {
      left = Math.min(left, count);
    });
    const before = known;
    if (before && left < before.count) {
      await announceWentBack(store, events, lostEntries(before, left), []);
      known = undefined;
    }
    if (!head) return;
    known = head;
    events.emit('logged', head);
    countSoon();
  }

  /** A store that its user has closed has not failed: the next outbox adds the lines. */
  const isClosed = (cause: unknown): boolean => asRecord(cause).code === 'closed';

  const failed = (message: string) => (cause: unknown) => {
    if (!isClosed(cause)) storeFailed(message, cause);
  };

  function countSoon(): void {
    const { operator } = store;
    if (!operator || isStopped) return;
    throughputTimer ??= clock.setTimeout(() => {
      throughputTimer = undefined;
      catchUpThroughput(store, operator, THROUGHPUT_PAGES).then(
        (left) => void (left > 0 && countSoon()),
        failed('Receipts could not be counted for the charts of the console; the outbox tries again later.'),
      );
    }, THROUGHPUT_DELAY_MS);
  }

  /** One append after the other, since two at once would conflict. */
  const catchUp = (): Promise<void> => {
    const next = (running ?? Promise.resolve()).catch(() => {}).then(append);
    running = next;
    return next;
  };

  const inBackground = (): Promise<void> =>
    catchUp().catch((cause) => {
      failed('Receipts could not be added to the log; the outbox tries again later.')(cause);
      if (!isStopped && !isClosed(cause)) inMs(RETRY_MS);
    });

  function inMs(milliseconds: number): void {
    timer ??= clock.setTimeout(() => {
      timer = undefined;
      void inBackground();
    }, milliseconds);
  }

  return {
    catchUp,
    soon(): void {
      isStopped = false;
      inMs(DELAY_MS);
    },
    async stop(timeoutMs: number): Promise<void> {
      isStopped = true;
      clock.clearTimeout(timer);
      clock.clearTimeout(throughputTimer);
      timer = undefined;
      throughputTimer = undefined;
      await withTimeout(inBackground, { clock, milliseconds: timeoutMs });
    },
  };
}
