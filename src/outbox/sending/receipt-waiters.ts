import type { Receipt, RelayReceipt } from '../../core/client/receipt.js';
import { AbortedError, type ReportingError } from '../../core/errors/errors.js';
import { memberOf } from '../../core/platform/as-record.js';
import { numbered } from '../../core/platform/portable.js';
import type { Location } from '../../core/schema/location.js';
import { errorOf } from '../rules/error-of.js';
import type { Change, Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import { isDamage } from '../store/store.js';

/** A receipt of a gateway, or of a relay, which has no environment. */
type AnyReceipt = Receipt | RelayReceipt;

interface Waiter {
  /** The location of the data with this fingerprint. Other data may have replaced it since. */
  readonly location: Location | undefined;
  readonly fingerprint: string;
  absenceMs: number;
  missingSince?: number | undefined;
  readonly resolve: (receipt: AnyReceipt) => void;
  readonly reject: (error: ReportingError) => void;
}

const SLOWEST_POLL_MS = 15_000;
const POLLED_AT_ONCE = 200;
/** The longest absence of a report that the user's own transaction may still commit. */
const LONGEST_ABSENCE_MS = 300_000;
/** The longest absence of a report that was in the store: the result of an attempt under way says more. */
const GONE_MS = 2_000;

const CLEARED = 'the data of this site was cleared. The report may have been sent before that.';

interface WaiterWords {
  readonly adviceFor?: ((row: Row) => string) | undefined;
  readonly lostInDatabase?: string | undefined;
}

/** The pending promises of receipts. It polls the store, since other processes may record reports. */
export function createWaiters(
  { store, clock, pollMs, accounts }: OutboxSettings,
  { adviceFor, lostInDatabase }: WaiterWords = {},
) {
  const inPage = accounts.some(({ internals }) => internals.kind === 'relay');
  const whyLost = (!inPage && lostInDatabase) || CLEARED;
  const waiters = new Map<string, Waiter[]>();
  let timer: unknown;
  let stopped = false;
  let wait = pollMs;
  // A store without transactions of the user has the report from the begin, and is polled often enough to miss it soon.
  const [absenceMs, slowestMs] = memberOf(store, 'transactional')
    ? [LONGEST_ABSENCE_MS, SLOWEST_POLL_MS]
    : [GONE_MS, GONE_MS];

  /** `change`: the change of the row since it was read. Most reports have no waiter. */
  function tell(before: Row, change?: Change): void {
    const waiting = waiters.get(before.id);
    if (!waiting) return;
    const row = { ...before, ...change };
    for (const waiter of waiting) Object.assign(waiter, { absenceMs: GONE_MS, missingSince: undefined });
    if (row.state === 'waiting' || row.state === 'in-flight') return;
    waiters.delete(row.id);
    for (const { location, fingerprint, resolve, reject } of waiting) {
      if (row.state === 'recorded') resolve(receiptOfRow(row, row.fingerprint === fingerprint ? location : undefined));
      else reject(errorOf(row, adviceFor?.(row)));
    }
  }

  function giveUp(id: string): void {
    const now = clock.now();
    for (const waiter of waiters.get(id) ?? []) {
      if (waiter.missingSince !== undefined) continue;
      waiter.missingSince = now;
      wait = pollMs;
    }
    rejectLost(id, (waiter) => now - (waiter.missingSince ?? now) >= waiter.absenceMs);
  }

  function rejectLost(id: string, isOver: (waiter: Waiter) => boolean): void {
    const waiting = waiters.get(id) ?? [];
    const others = waiting.filter((waiter) => !isOver(waiter));
    if (others.length > 0) waiters.set(id, others);
    else waiters.delete(id);
    for (const { reject } of waiting.filter(isOver)) reject(lostError(whyLost));
  }

  async function look(ids: readonly string[]): Promise<void> {
    try {
      const rows = await store.get(ids);
      for (const [index, id] of numbered(ids)) {
        const row = rows[index];
        if (row) tell(row);
        else giveUp(id);
      }
    } catch (cause) {
      // Otherwise the next look tries the store again.
      if (isDamage(cause)) rejectAll(damageError(cause));
    }
  }

  function rejectAll(error = stoppedError()): void {
    for (const { reject } of [...waiters.values()].flat()) reject(error);
    waiters.clear();
  }

  function lookLater(): void {
    if (timer !== undefined || stopped || waiters.size === 0) return;
    timer = clock.setTimeout(async () => {
      const ids = [...waiters.keys()].slice(0, POLLED_AT_ONCE);
      await look(ids);
      // Reports that still wait move to the end, so that each look reads others.
      for (const id of ids) {
        const still = waiters.get(id);
        if (still && waiters.delete(id)) waiters.set(id, still);
      }
      timer = undefined;
      wait = Math.min(Math.max(pollMs, slowestMs), wait * 1.5);
      lookLater();
    }, wait);
  }

  return {
    receiptFor({ id, fingerprint }: Row, location: Location | undefined): Promise<AnyReceipt> {
      const promise = new Promise<AnyReceipt>((resolve, reject) => {
        if (stopped) return reject(stoppedError());
        waiters.set(id, [...(waiters.get(id) ?? []), { location, fingerprint, absenceMs, resolve, reject }]);
        wait = pollMs;
        void look([id]).then(lookLater);
      });
      // An unused promise that rejects must not end the process.
      promise.catch(() => {});
      return promise;
    },
    tell,
    /** An attempt ended, and its row is missing. If the gateway recorded the report, that counts. */
    gone(row: Row, change: Change): void {
      if (change.state === 'recorded') tell(row, change);
      else rejectLost(row.id, () => true);
    },
    start(): void {
      stopped = false;
    },
    /** Ends every wait. The reports stay in the store. */
    stop(error?: AbortedError): void {
      stopped = true;
      clock.clearTimeout(timer);
      timer = undefined;
      rejectAll(error);
    },
  };
}

export type Waiters = ReturnType<typeof createWaiters>;

export const damageError = (cause: Error): AbortedError =>
  new AbortedError(`It is unknown whether this report was recorded. ${cause.message}`, { outcome: 'unknown' });

const stoppedError = () =>
  new AbortedError('The outbox was stopped before this report was recorded. It is stored.', {
    outcome: 'unknown',
  });

const lostError = (why: string) =>
  new AbortedError(`This report is no longer in the store: ${why}`, { outcome: 'unknown' });

export const receiptOfRow = (
  { outcome = 'recorded', operation, reference, environment, attempts, message, requestId }: Row,
  location?: Location,
): AnyReceipt => ({
  outcome,
  operation,
  reference,
  ...(environment !== 'relay' && { environment }),
  attempts,
  ...(message !== undefined && { message }),
  ...(requestId !== undefined && { requestId }),
  ...(location && { location }),
});
