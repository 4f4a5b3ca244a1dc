import { isStoreError } from '../core/errors/store-error.js';
import { memberOf } from '../core/platform/as-record.js';
import { LONGEST_TIMER_MS, withTimeout } from '../core/platform/time.js';
import type { Events, StoreFailed } from './events.js';
import type { Outbox } from './interface.js';
import { checkSharedOptions } from './method-options.js';
import type { ReceiptMethods } from './receipts/receipt-methods.js';
import { STOP_MARGIN_MS } from './sending/plan.js';
import { damageError, type Waiters } from './sending/receipt-waiters.js';
import { watchLead } from './sending/watch-lead.js';
import { createWorker, type Worker, type WorkerParts } from './sending/worker.js';
import type { AccountSettings, OutboxSettings } from './settings.js';
import { isDamage } from './store/store.js';

interface LifecycleParts {
  readonly settings: OutboxSettings;
  readonly events: Events;
  readonly waiters: Waiters;
  readonly receiptMethods: Pick<ReceiptMethods, 'started' | 'stopped'>;
  readonly requireGateway: ((account: AccountSettings) => void) | undefined;
  readonly workerParts: WorkerParts;
}

export interface Lifecycle extends Pick<Outbox, 'start' | 'stop'> {
  isStarted(): boolean;
  /** Whether the worker runs here. False while another tab leads, and after a stop. */
  isWorking(): boolean;
  wake(): void;
  /** Calls a function once: when the worker is idle, or at the end of a stop. */
  whenIdle(listener: () => void): void;
  readonly storeFailed: StoreFailed;
}

export function createLifecycle({
  settings,
  events,
  waiters,
  receiptMethods,
  requireGateway,
  workerParts,
}: LifecycleParts): Lifecycle {
  const { store } = settings;
  const idle = new Set<() => void>();
  let worker: Worker | undefined;
  let leading: AbortController | undefined;
  let hasLead = false;
  let stopping: Promise<void> | undefined;
  /** Whether `start` was called during a stop: it starts at its end. */
  let startsAgain = false;
  let unwatch: (() => void) | undefined;
  let isToldOfDamage = false;

  const wake = () => worker?.wake();

  const isStarted = () => startsAgain || worker !== undefined || leading !== undefined;

  function tellIdle(): void {
    const listeners = [...idle];
    idle.clear();
    for (const listener of listeners) listener();
  }

  /** Stops the outbox if its store is damaged: nothing can be read or written any more. */
  function storeFailed(message: string, cause: unknown): void {
    if (!isDamage(cause)) {
      // Of another error nothing is shown: it may hold data of the store.
      const text = isStoreError(cause) ? `${message} ${cause.message}` : message;
      events.emit('error', { message: text, code: 'store', cause });
      return;
    }
    if (!isToldOfDamage)
      events.emit('error', { message: `The outbox has stopped. ${cause.message}`, code: 'stopped', cause });
    isToldOfDamage = true;
    waiters.stop(damageError(cause));
    void stop();
  }

  function begin(): void {
    worker ??= createWorker(settings, { events, waiters, storeFailed, tellIdle }, workerParts);
  }

  function start(): void {
    if (requireGateway) settings.accounts.forEach(requireGateway);
    startsAgain = stopping !== undefined;
    if (isStarted()) return;
    isToldOfDamage = false;
    waiters.start();
    receiptMethods.started();
    unwatch = memberOf(store, 'watch')?.call(store, wake, (cause) =>
      storeFailed('The store signals nothing; pollMs counts.', cause),
    );
    const lead = memberOf(store, 'lead');
    if (!lead) {
      begin();
      return;
    }
    const controller = new AbortController();
    leading = controller;
    hasLead = false;
    const unwatchLead = watchLead(settings, begin);
    controller.signal.addEventListener('abort', unwatchLead);
    lead.call(store, controller.signal).then(
      (endLead) => {
        unwatchLead();
        if (controller.signal.aborted) return endLead();
        hasLead = true;
        begin();
        controller.signal.addEventListener('abort', endLead);
      },
      (cause: unknown) => {
        unwatchLead();
        if (controller.signal.aborted) return;
        storeFailed('The store failed; this worker works beside others.', cause);
        begin();
      },
    );
  }

  async function stopParts({ timeoutMs = settings.stopTimeoutMs } = {}): Promise<void> {
    const stopped = worker;
    worker = undefined;
    // The turn to lead must not come during the stop.
    if (!hasLead) leading?.abort();
    unwatch?.();
    const rest = async () => {
      await stopped?.stop(timeoutMs);
      await receiptMethods.stopped(timeoutMs);
    };
    // The worker and the log of receipts share one time limit.
    await withTimeout(rest, {
      clock: settings.clock,
      milliseconds: Math.min(LONGEST_TIMER_MS, timeoutMs + STOP_MARGIN_MS),
    });
    leading?.abort();
    leading = undefined;
    waiters.stop();
    // A call of `drain` would otherwise wait for the stopped worker.
    tellIdle();
  }

  /** A second call during a stop waits for the same end, also if `start` was called in between. */
  const stop: Outbox['stop'] = (given) => {
    try {
      checkSharedOptions('stop', given);
    } catch (error) {
      return Promise.reject(error);
    }
    startsAgain = false;
    const stopOnce = async () => {
      try {
        await stopParts(given);
      } finally {
        stopping = undefined;
        if (startsAgain) start();
      }
    };
    stopping ??= stopOnce();
    return stopping;
  };

  return {
    start,
    stop,
    isStarted,
    isWorking: () => worker !== undefined,
    wake,
    whenIdle: (listener) => void idle.add(listener),
    storeFailed,
  };
}
