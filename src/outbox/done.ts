import { AbortedError, type ReportingError } from '../errors.js';
import type { Receipt, RelayReceipt } from '../receipt.js';
import { RELAY_ONLY } from '../relay-only.js';
import type { Location } from '../schema/location.js';
import { errorOf } from './error-of.js';
import type { Row } from './record.js';
import type { OutboxSettings } from './settings-shape.js';

/** Of a gateway, or of a relay, whose environment nobody knows here. */
type AnyReceipt = Receipt | RelayReceipt;

interface Waiter {
  readonly location: Location | undefined;
  /** When it began to wait. */
  readonly since: number;
  readonly resolve: (receipt: AnyReceipt) => void;
  readonly reject: (error: ReportingError) => void;
}

const SLOWEST_POLL_MS = 15_000;
const POLLED_AT_ONCE = 200;
/** How long a report may be absent whose transaction was not committed when somebody began to wait for it. */
const LONGEST_ABSENCE_MS = 300_000;

/** The promises of receipts that somebody waits for. What other processes record is found by looking now and then. */
export function createWaiters({ store, door: { clock }, pollMs }: OutboxSettings) {
  const waiters = new Map<string, Waiter[]>();
  let timer: unknown;
  let stopped = false;
  let wait = pollMs;

  function settle(row: Row): void {
    const waiting = waiters.get(row.id);
    if (!waiting || row.state === 'waiting' || row.state === 'in-flight') return;
    waiters.delete(row.id);
    for (const { location, resolve, reject } of waiting) {
      if (row.state === 'recorded') resolve(receiptOf(row, location));
      else reject(errorOf(row));
    }
  }

  /** Ends the waiting for a report that is not there, and will not be. */
  function giveUp(id: string): void {
    const waiting = waiters.get(id) ?? [];
    const over = waiting.filter(({ since }) => clock.now() - since > LONGEST_ABSENCE_MS);
    for (const { reject } of over) reject(absentError());
    if (over.length > 0 && over.length === waiting.length) waiters.delete(id);
  }

  async function look(ids: readonly string[]): Promise<void> {
    try {
      const rows = await store.get(ids);
      for (const [index, id] of ids.entries()) {
        const row = rows[index];
        if (row) settle(row);
        // The outbox of a page writes in no transaction of the user's.
        else if (!RELAY_ONLY) giveUp(id);
      }
    } catch {
      // The store is tried again with the next look.
    }
  }

  function lookLater(): void {
    if (timer !== undefined || stopped || waiters.size === 0) return;
    timer = clock.setTimeout(async () => {
      const ids = [...waiters.keys()].slice(0, POLLED_AT_ONCE);
      await look(ids);
      // Those that are not done go to the end, so that all get their turn.
      for (const id of ids) {
        const still = waiters.get(id);
        if (still && waiters.delete(id)) waiters.set(id, still);
      }
      timer = undefined;
      wait = Math.min(SLOWEST_POLL_MS, wait * 1.5);
      lookLater();
    }, wait);
  }

  return {
    /** The receipt of a row, now or later. */
    receiptFor(id: string, location: Location | undefined): Promise<AnyReceipt> {
      const promise = new Promise<AnyReceipt>((resolve, reject) => {
        if (stopped) return reject(stoppedError());
        waiters.set(id, [...(waiters.get(id) ?? []), { location, since: RELAY_ONLY ? 0 : clock.now(), resolve, reject }]);
        wait = pollMs;
        void look([id]).then(lookLater);
      });
      // Whoever does not look at it must not lose the process to it.
      promise.catch(() => {});
      return promise;
    },
    settle,
    start(): void {
      stopped = false;
    },
    /** Ends all waiting: the reports stay in the store. */
    stop(): void {
      stopped = true;
      clock.clearTimeout(timer);
      timer = undefined;
      for (const { reject } of [...waiters.values()].flat()) reject(stoppedError());
      waiters.clear();
    },
  };
}

export type Waiters = ReturnType<typeof createWaiters>;

const stoppedError = () =>
  new AbortedError('The outbox was stopped before this report was recorded; it stays in the store and is sent once an outbox is started on it.', {
    outcome: 'unknown',
  });

const absentError = () =>
  new AbortedError('This report is not in the store: the transaction that it was enqueued in was rolled back, or is open for too long.', {
    outcome: 'not-sent',
  });

/** The receipt of a recorded row. */
export const receiptOf = ({ outcome = 'recorded', operation, reference, environment, attempts, message }: Row, location?: Location): AnyReceipt => ({
  outcome,
  operation,
  reference,
  ...(environment !== 'relay' && { environment }),
  attempts,
  ...(message !== undefined && { message }),
  ...(location && { location }),
});
