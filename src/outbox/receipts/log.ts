import { type Clock, withTimeout } from '../../platform/time.js';
import type { Events } from '../events.js';
import type { OutboxStore } from '../store.js';
import { headOfLine, linkRows, type ReceiptHead } from './entry.js';
import { catchUpPace } from './pace.js';

/** How many lines share a commit at most, or are read at once. */
const PAGE = 500;
/** Between a row's end and its line, so that what ends together shares a commit. */
const DELAY_MS = 200;
/** After lines were added, until they are counted for charts: what comes meanwhile is counted with them. */
const PACE_DELAY_MS = 2_000;
/** Pages that are counted at once: a log that was written before there were charts is counted little by little. */
const PACE_PAGES = 10;
/** Appends that others came before; whoever wins so often writes our lines too. */
const MOST_LOST = 10;

/** Gives final rows that have none their line in the log. Returns the head, where it added to it. */
export async function appendReceipts({ receipts }: OutboxStore): Promise<ReceiptHead | undefined> {
  let added: ReceiptHead | undefined;
  for (let lost = 0; lost < MOST_LOST; ) {
    const rows = await receipts.unlogged(PAGE);
    if (rows.length === 0) break;
    const { lines, head } = await linkRows(rows, await receipts.last());
    if (await receipts.append(lines)) added = head;
    else lost += 1;
  }
  return added;
}

/** The lines of the log as text, each with its break; as far as it reaches when this is called. */
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

/** The outbox's hand on the log: lines are added soon after rows end, beside the way of the reports. */
export function createReceiptLog(store: OutboxStore, events: Events, clock: Clock) {
  let timer: unknown;
  let paceTimer: unknown;
  let running: Promise<void> | undefined;
  let isStopped = false;

  async function append(): Promise<void> {
    const head = await appendReceipts(store);
    if (!head) return;
    events.emit('logged', head);
    countSoon();
  }

  /** Charts may lag: the store is asked once for many lines. */
  function countSoon(): void {
    const { console } = store;
    if (!console || isStopped) return;
    paceTimer ??= clock.setTimeout(() => {
      paceTimer = undefined;
      catchUpPace(store, console, PACE_PAGES).then(
        (left) => void (left > 0 && countSoon()),
        (cause: unknown) => events.emit('error', { message: 'Receipts could not be counted for the charts of the console; it is tried again later.', cause }),
      );
    }, PACE_DELAY_MS);
  }

  /** One after the other: two in one process would only take each other's place. */
  const catchUp = (): Promise<void> => {
    const next = (running ?? Promise.resolve()).catch(() => {}).then(append);
    running = next;
    return next;
  };

  const inBackground = () =>
    catchUp().catch((cause: unknown) => events.emit('error', { message: 'Receipts could not be added to the log; it is tried again later.', cause }));

  return {
    catchUp,
    soon(): void {
      isStopped = false;
      timer ??= clock.setTimeout(() => {
        timer = undefined;
        void inBackground();
      }, DELAY_MS);
    },
    async stop(timeoutMs: number): Promise<void> {
      isStopped = true;
      clock.clearTimeout(timer);
      clock.clearTimeout(paceTimer);
      timer = undefined;
      paceTimer = undefined;
      await withTimeout(inBackground, { clock, milliseconds: timeoutMs });
    },
  };
}
