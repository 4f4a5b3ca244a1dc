import type { Receipt, RelayReceipt } from '../client/receipt.js';
import { AbortedError, type ReportingError } from '../errors/errors.js';
import { memberOf } from '../platform/as-record.js';
import type { Location } from '../schema/location.js';
import { errorOf } from './error-of.js';
import type { OutboxSettings } from './settings-shape.js';
import type { Row } from './state-machine.js';

/** Of a gateway, or of a relay, whose environment nobody knows here. */
type AnyReceipt = Receipt | RelayReceipt;

/** How a prepared report is told from other data under its reference, which may be what is stored. */
export interface Own {
  /** Whether it was in the store, or a call to enqueue it has resolved. */
  acknowledged: boolean;
  matches(row: Row): Promise<boolean>;
  /** What whoever waits for it is told where it is other data. */
  refusal(): ReportingError;
}

interface Waiter {
  readonly location: Location | undefined;
  /** Of a prepared report, until it is known that the row is its own. */
  own?: Own | undefined;
  /** Of a prepared report. */
  readonly prepared?: Own | undefined;
  /** When it began to wait. */
  readonly since: number;
  /** Whether the report was in the store: without a user's transaction it was from the beginning. */
  wasThere: boolean;
  /** Since when it is missing, after that. */
  goneSince?: number | undefined;
  readonly resolve: (receipt: AnyReceipt) => void;
  readonly reject: (error: ReportingError) => void;
}

const SLOWEST_POLL_MS = 15_000;
const POLLED_AT_ONCE = 200;
/** How long a report may be absent that was never seen: its transaction may not have been committed when the wait for it began. */
const LONGEST_ABSENCE_MS = 300_000;
/** How long one may be absent that was there: if it is on its way, its answer says more. */
const GONE_MS = 2_000;
/** A store on this machine, without transactions of users, is looked at as often as the wait for what is gone asks. */
const SLOWEST_LOCAL_POLL_MS = 2_000;

/** The promises of receipts that somebody waits for. What other processes record is found by looking now and then. */
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

  /** Who goes on waiting. */
  function keep(id: string, waiting: readonly Waiter[]): void {
    if (waiting.length > 0) waiters.set(id, [...waiting]);
    else waiters.delete(id);
  }

  /** Finds out whether a row is a waiter's own, and settles then; where that cannot be said, the next look asks again. */
  async function tellApart(row: Row, waiter: Waiter, own: Own): Promise<void> {
    const isOwn = await own.matches(row).catch(() => undefined);
    if (isOwn === undefined || waiter.own === undefined) return;
    waiter.own = undefined;
    if (isOwn) return settle(row);
    keep(
      row.id,
      (waiters.get(row.id) ?? []).filter((one) => one !== waiter),
    );
    waiter.reject(own.refusal());
  }

  /** Ends the waiting for a report that is not there, and will not be. */
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
    // What was committed once may have been sent before it was lost.
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
      wait = Math.min(slowestPollMs, wait * 1.5);
      lookLater();
    }, wait);
  }

  return {
    /** The receipt of a row, now or later; of a prepared report only if the row is its own. */
    receiptFor(id: string, location: Location | undefined, own?: Own): Promise<AnyReceipt> {
      const promise = new Promise<AnyReceipt>((resolve, reject) => {
        if (stopped) return reject(own ? unseenError() : stoppedError());
        const wasThere = !own && !memberOf(store, 'transactional');
        const waiter: Waiter = { location, since: clock.now(), wasThere, resolve, reject, own, prepared: own };
        waiters.set(id, [...(waiters.get(id) ?? []), waiter]);
        wait = pollMs;
        void look([id]).then(lookLater);
      });
      // Whoever does not look at it must not lose the process to it.
      promise.catch(() => {});
      return promise;
    },
    settle,
    /** An attempt ended, and its row is gone. The gateway's word stands, whatever the store has lost. */
    gone(row: Row): void {
      if (row.state === 'recorded') settle(row);
      else rejectLost(row.id, waiters.get(row.id) ?? []);
    },
    start(): void {
      stopped = false;
    },
    /** Ends all waiting: the reports stay in the store. */
    stop(): void {
      stopped = true;
      clock.clearTimeout(timer);
      timer = undefined;
      for (const waiter of [...waiters.values()].flat()) waiter.reject(waiter.own ? unseenError() : stoppedError());
      waiters.clear();
    },
  };
}

export type Waiters = ReturnType<typeof createWaiters>;

const stoppedError = () =>
  new AbortedError('The outbox was stopped before this report was recorded; it stays in the store and is sent once an outbox is started.', {
    outcome: 'unknown',
  });

const unseenError = () =>
  new AbortedError(
    'The outbox was stopped before this prepared report was seen in the store. Once it is committed, it is sent as soon as an outbox is started.',
    {
      outcome: 'unknown',
    },
  );

const absentError = () =>
  new AbortedError('This prepared report was never seen in the store: the transaction with it was rolled back, is open for too long, or never was.', {
    outcome: 'not-sent',
  });

const lostError = (inPage: boolean) =>
  new AbortedError(
    inPage
      ? 'This report is not in the store any more: the data of this site was cleared. It may have been sent before that.'
      : 'This report is not in the store any more: the database was lost, restored from a backup or replaced by a standby, or the transaction with the report was rolled back. The gateway may hold it: compare your records, and report the same data again where it is missing.',
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
