import type { Receipt, RelayReceipt } from '../client/receipt.js';
import { AbortedError, type ReportingError } from '../errors/errors.js';
import { memberOf } from '../platform/as-record.js';
import type { Location } from '../schema/location.js';
import { errorOf } from './error-of.js';
import type { OutboxSettings } from './settings-shape.js';
import type { Row } from './state-machine.js';
import { isDamage } from './store.js';

/** A receipt of a gateway, or of a relay, which has no environment. */
type AnyReceipt = Receipt | RelayReceipt;

/** Tells whether a stored row is this prepared report or other data under the same reference. */
export interface Own {
  /** Whether the report was seen in the store, or a call that enqueued it has resolved. */
  acknowledged: boolean;
  matches(row: Row): Promise<boolean>;
  /** The error of the waiters if the row is other data. */
  refusal(row: Row): ReportingError;
}

interface Waiter {
  readonly location: Location | undefined;
  /** Set for a prepared report until its row is recognised. */
  own?: Own | undefined;
  /** Set for a prepared report. */
  readonly prepared?: Own | undefined;
  /** The begin of the wait. */
  readonly since: number;
  /** Whether the report was in the store. True from the begin if the store has no transactions of the user. */
  wasThere: boolean;
  /** The time at which it was first missing after that. */
  goneSince?: number | undefined;
  readonly resolve: (receipt: AnyReceipt) => void;
  readonly reject: (error: ReportingError) => void;
}

const SLOWEST_POLL_MS = 15_000;
const POLLED_AT_ONCE = 200;
/** The wait for a report that was never in the store: its transaction may still be open. */
const LONGEST_ABSENCE_MS = 300_000;
/** The wait for a report that was in the store: an attempt may be under way, and its result says more. */
const GONE_MS = 2_000;
/** The slowest poll of a local store without transactions of the user, so that a lost report is found after `GONE_MS`. */
const SLOWEST_LOCAL_POLL_MS = 2_000;

/** The pending promises of receipts. It polls the store, since other processes may record reports. */
export function createWaiters({ store, clock, pollMs, accounts }: OutboxSettings) {
  const inPage = accounts.some(({ internals }) => internals.kind === 'relay');
  const waiters = new Map<string, Waiter[]>();
  let timer: unknown;
  let stopped = false;
  let wait = pollMs;
  const slowestPollMs = Math.max(pollMs, memberOf(store, 'transactional') ? SLOWEST_POLL_MS : SLOWEST_LOCAL_POLL_MS);

  function settle(row: Row): void {
    const waiting = waiters.get(row.id);
    for (const waiter of waiting ?? []) {
      waiter.wasThere = true;
      waiter.goneSince = undefined;
    }
    for (const { prepared } of waiting ?? []) if (prepared) prepared.acknowledged = true;
    for (const waiter of waiting ?? []) if (waiter.own) void tellApart(row, waiter, waiter.own);
    if (!waiting || row.state === 'waiting' || row.state === 'in-flight') return;
    keep(
      row.id,
      waiting.filter(({ own }) => own),
    );
    for (const { location, resolve, reject } of waiting.filter(({ own }) => !own)) {
      if (row.state === 'recorded') resolve(receiptOfRow(row, location));
      else reject(errorOf(row));
    }
  }

  /** Sets the waiters of a report that go on waiting. */
  function keep(id: string, waiting: readonly Waiter[]): void {
    if (waiting.length > 0) waiters.set(id, [...waiting]);
    else waiters.delete(id);
  }

  /** Compares a row with the prepared report of a waiter, and settles the waiter. If the comparison fails, the next look repeats it. */
  async function tellApart(row: Row, waiter: Waiter, own: Own): Promise<void> {
    const isOwn = await own.matches(row).catch(() => undefined);
    if (isOwn === undefined || waiter.own === undefined) return;
    waiter.own = undefined;
    if (isOwn) return settle(row);
    keep(
      row.id,
      (waiters.get(row.id) ?? []).filter((one) => one !== waiter),
    );
    waiter.reject(own.refusal(row));
  }

  /** Ends the wait for a report that has been missing for too long. */
  function giveUp(id: string): void {
    const waiting = waiters.get(id) ?? [];
    const now = clock.now();
    for (const waiter of waiting) {
      if (waiter.wasThere && waiter.goneSince === undefined) {
        waiter.goneSince = now;
        wait = pollMs;
      }
    }
    rejectLost(
      id,
      waiting.filter(({ since, goneSince = Number.NaN }) => now - goneSince >= GONE_MS || now - since > LONGEST_ABSENCE_MS),
    );
  }

  function rejectLost(id: string, over: readonly Waiter[]): void {
    // A report that was committed may have been sent before it was lost.
    for (const { reject, prepared } of over) reject(prepared?.acknowledged === false ? absentError() : lostError(inPage));
    keep(
      id,
      (waiters.get(id) ?? []).filter((waiter) => !over.includes(waiter)),
    );
  }

  async function look(ids: readonly string[]): Promise<void> {
    try {
      const rows = await store.get(ids);
      for (const [index, id] of ids.entries()) {
        const row = rows[index];
        if (row) settle(row);
        else giveUp(id);
      }
    } catch (cause) {
      // Otherwise the next look tries the store again.
      if (isDamage(cause)) rejectAll(damageError(cause));
    }
  }

  function rejectAll(error?: AbortedError): void {
    for (const waiter of [...waiters.values()].flat()) waiter.reject(error ?? (waiter.own ? unseenError() : stoppedError()));
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
      wait = Math.min(slowestPollMs, wait * 1.5);
      lookLater();
    }, wait);
  }

  return {
    /** The receipt of a row, now or later. For a prepared report only if the row is that report. */
    receiptFor(id: string, location: Location | undefined, own?: Own): Promise<AnyReceipt> {
      const promise = new Promise<AnyReceipt>((resolve, reject) => {
        if (stopped) return reject(own ? unseenError() : stoppedError());
        const wasThere = !own && !memberOf(store, 'transactional');
        const waiter: Waiter = { location, since: clock.now(), wasThere, resolve, reject, own, prepared: own };
        waiters.set(id, [...(waiters.get(id) ?? []), waiter]);
        wait = pollMs;
        void look([id]).then(lookLater);
      });
      // An unused promise that rejects must not end the process.
      promise.catch(() => {});
      return promise;
    },
    settle,
    /** An attempt ended, and its row is missing. If the gateway recorded the report, that counts. */
    gone(row: Row): void {
      if (row.state === 'recorded') settle(row);
      else rejectLost(row.id, waiters.get(row.id) ?? []);
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

/** The error of everything that waits for a report in a damaged store. */
export const damageError = (cause: Error): AbortedError =>
  new AbortedError(`It is unknown whether this report was recorded. ${cause.message}`, { outcome: 'unknown' });

const stoppedError = () =>
  new AbortedError('The outbox was stopped before this report was recorded. The report stays in the store, and an outbox sends it after its next start.', {
    outcome: 'unknown',
  });

const unseenError = () =>
  new AbortedError(
    'The outbox was stopped before this prepared report was seen in the store. If your transaction commits, an outbox sends it after its next start.',
    {
      outcome: 'unknown',
    },
  );

const absentError = () =>
  new AbortedError('This prepared report was never seen in the store: its transaction was rolled back, has been open for too long, or was never begun.', {
    outcome: 'not-sent',
  });

const lostError = (inPage: boolean) =>
  new AbortedError(
    inPage
      ? 'This report is no longer in the store: the data of this site was cleared. The report may have been sent before that.'
      : 'This report is no longer in the store: the database was lost, restored from a backup or replaced by a standby, or the transaction with the report was rolled back. The gateway may hold it: compare your records with the gateway, and report the same data again if it is missing there.',
    { outcome: 'unknown' },
  );

/** The receipt of a recorded row. */
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
