import type { Environment } from '../errors.js';
import type { Receipt } from '../receipt.js';
import type { ValidationMode } from '../schema/model.js';
import { LONGEST_TIMER_MS, limited } from '../time.js';
import { decideRow, refusal } from './decide.js';
import { createWaiters } from './done.js';
import { type Committed, createEntrance, type Given } from './enqueue.js';
import { aboutReport, createEvents } from './events.js';
import type { Drained, EnqueuedReport, Outbox, OutboxReport } from './interface.js';
import type { OutboxOptions } from './options.js';
import { createReceiptLog, readHead, readReceipts } from './proof/log.js';
import { reconcile } from './proof/reconcile.js';
import type { Decision, Row } from './record.js';
import { readSettings } from './settings.js';
import { createWorker, type Worker } from './worker.js';

const PAGE = 100;

/**
 * Makes an outbox: reports are committed to a store first and sent later, as often as it takes, so that none is lost
 * when the process dies, the network fails or the gateway is down. Throws a `ConfigurationError` that lists every
 * wrong option. Nothing is sent before `start` or `drain`.
 *
 * @example
 * ```ts
 * const outbox = createOutbox({ client, store: memoryStore() });
 * outbox.start();
 * const { id, done } = await outbox.reportBetEvent(bet, { clientIP });
 * const receipt = await done;
 * ```
 */
export function createOutbox<Mode extends ValidationMode = 'strict'>(options: OutboxOptions<Mode>): Outbox<Mode> {
  const settings = readSettings(options as OutboxOptions<ValidationMode>);
  const { store, door, keepBodies } = settings;
  const events = createEvents();
  const waiters = createWaiters(settings);
  const entrance = createEntrance(settings, events);
  const log = createReceiptLog(store, events, door.clock);
  const missingKeys = new Set<string>();
  const idle = new Set<() => void>();
  let worker: Worker | undefined;
  let leading: AbortController | undefined;
  let unwatch: (() => void) | undefined;

  const wake = () => worker?.wake();

  events.on('recorded', log.soon);
  events.on('decided', log.soon);
  events.on('locked', ({ keyId }) => missingKeys.add(keyId));
  settings.seal.prepare?.().catch(() => {});

  function committed({ row, location }: Committed): EnqueuedReport {
    let done: Promise<Receipt> | undefined;
    const report = { id: row.id, state: row.state };
    // Made only for those who look at it: a million reports need no million promises.
    return Object.defineProperty(report, 'done', { get: () => (done ??= waiters.receiptFor(row.id, location)) }) as EnqueuedReport;
  }

  async function enqueue(given: Given): Promise<EnqueuedReport> {
    const report = committed(await entrance.commit(given));
    wake();
    return report;
  }

  async function reportAll(reports: readonly Given[]): Promise<PromiseSettledResult<EnqueuedReport>[]> {
    const results = await entrance.commitAll(reports);
    wake();
    return results.map((result) => (result.status === 'fulfilled' ? { ...result, value: committed(result.value) } : result));
  }

  async function decide(id: string, decision: Decision): Promise<OutboxReport> {
    const now = await decideRow(store, id, decision, keepBodies);
    events.emit('decided', { ...aboutReport(now), action: decision.action });
    waiters.settle(now);
    wake();
    return shown(now);
  }

  function start(): void {
    if (worker || leading) return;
    waiters.start();
    // What became final before the last process could log it.
    log.soon();
    unwatch = store.watch?.(wake);
    const begin = () => {
      worker = createWorker(settings, events, waiters, () => {
        for (const listener of [...idle]) listener();
      });
    };
    if (!store.lead) {
      begin();
      return;
    }
    const controller = new AbortController();
    leading = controller;
    store.lead(controller.signal).then(
      (end) => {
        if (controller.signal.aborted) return end();
        begin();
        controller.signal.addEventListener('abort', end);
      },
      (cause: unknown) => {
        if (controller.signal.aborted) return;
        events.emit('error', { message: 'The store did not let this worker have its turn; it works beside the others.', cause });
        begin();
      },
    );
  }

  async function stop({ timeoutMs = settings.stopTimeoutMs } = {}): Promise<void> {
    const stopped = worker;
    worker = undefined;
    unwatch?.();
    await stopped?.stop(timeoutMs);
    await log.stop(timeoutMs);
    leading?.abort();
    leading = undefined;
    waiters.stop();
  }

  const nextIdle = () =>
    new Promise<void>((resolve) => {
      idle.add(function listener() {
        idle.delete(listener);
        resolve();
      });
    });

  async function drain({ timeoutMs = LONGEST_TIMER_MS, signal }: Parameters<Outbox['drain']>[0] = {}): Promise<Drained> {
    const startedHere = worker === undefined && leading === undefined;
    start();
    const { ended } = await limited(
      async (over) => {
        wake();
        while (!over.aborted) {
          await nextIdle();
          const { states } = await store.counts();
          if (states.waiting + states['in-flight'] === 0) return;
        }
      },
      { clock: door.clock, milliseconds: timeoutMs, signal },
    );
    if (startedHere) await stop();
    const { states } = await store.counts();
    return { drained: ended === 'done', states };
  }

  return {
    durable: store.durable,
    reportBetEvent: (payload, given) => enqueue({ operation: 'reportBetEvent', payload, options: given }),
    reportSettledBet: (payload, given) => enqueue({ operation: 'reportSettledBet', payload, options: given }),
    reportWithdrawalEvent: (payload, given) => enqueue({ operation: 'reportWithdrawalEvent', payload, options: given }),
    reportSettledWithdrawal: (payload, given) => enqueue({ operation: 'reportSettledWithdrawal', payload, options: given }),
    reportAll,
    start,
    stop,
    drain,
    stats: async () => {
      const [{ states, oldestOpenAt, attempts }, outlook] = [await store.counts(), await store.outlook()];
      const paused = outlook.flatMap(({ pause: { environment, reason, message, since, until } }) =>
        reason ? [{ environment, reason, message, since, until }] : [],
      );
      return { states, oldestOpenAt, attempts, missingKeys: [...missingKeys], paused };
    },
    get: async (id) => {
      const [row] = await store.get([id]);
      return row && shown(row);
    },
    list: async ({ limit = PAGE, ...query } = {}) => (await store.list({ ...query, limit })).map(shown),
    async *iterate(query = {}) {
      for (let after = query.after ?? 0; ; ) {
        const rows = await store.list({ ...query, after, limit: PAGE });
        yield* rows.map(shown);
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) return;
        after = last.sequence;
      }
    },
    retry: (id, { reason = '' } = {}) => decide(id, { action: 'retry', reason, at: door.clock.now() }),
    resolve: async (id, { as: action, reason }) => {
      if (action !== 'recorded' && action !== 'dismissed') throw refusal('resolve', "as: expected 'recorded' or 'dismissed'");
      if (typeof reason !== 'string' || !reason.trim()) throw refusal('resolve', 'reason: say why, for those who ask later');
      return decide(id, { action, reason, at: door.clock.now() });
    },
    async *exportReceipts({ from = 0 } = {}) {
      await log.catchUp();
      yield* readReceipts(store, from);
    },
    receiptHead: () => readHead(store),
    reconcile: (references, defaults) => reconcile(store, references, defaults),
    resume: async (environment: Environment) => {
      const pause = (await store.outlook()).find((one) => one.environment === environment)?.pause;
      if (!pause?.reason) return false;
      const lifted = await store.pause({ environment, version: pause.version, reason: undefined, message: undefined, strikes: 0, forMs: 0, continues: false });
      if (lifted) events.emit('resumed', { environment });
      wake();
      return lifted;
    },
    on: events.on,
  };
}

const shown = ({ body: _, fingerprint: __, fence: ___, doubtBefore: ____, waitsFor: _____, ...report }: Row): OutboxReport => report;
