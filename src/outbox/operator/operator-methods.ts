import type { ClientMode } from '../../client/payloads.js';
import { ConfigurationError } from '../../errors/errors.js';
import { isConfigurationError } from '../../errors/guards.js';
import { LONGEST_TIMER_MS, withTimeout } from '../../platform/time.js';
import { ensureOwnGateways } from '../bindings.js';
import { checkName, checkOptions } from '../call-options.js';
import { aboutReport } from '../events.js';
import { type Given, requireTransactions } from '../intake/enqueue.js';
import { LARGEST_COMMIT } from '../intake/insert-batch.js';
import { prepareReport } from '../intake/prepare-report.js';
import { readList, readNamed } from '../intake/report-names.js';
import type { Drained, EnqueuedReport, Outbox, OutboxReport } from '../interface.js';
import { createOnlyRefused } from '../only-refused.js';
import { toPublicPauses, toPublicReport } from '../public-report.js';
import type { Decision } from '../state-machine.js';
import { decideRow, refusal } from './decide.js';
import { liftPauses } from './lift-pauses.js';
import type { OperatorMethods, OperatorParts } from './parts.js';

/** The default number of listed reports, and the number that is read at once. */
const PAGE = 100;

export function operatorMethods<Mode extends ClientMode = 'strict'>({
  settings,
  account: { account, internals },
  events,
  waiters,
  entrance,
  idle,
  committed,
  enqueue,
  start,
  stop,
  isStarted,
  worker,
}: OperatorParts<Mode>): OperatorMethods<Mode> {
  const { store, keepBodies, pollMs, clock } = settings;
  const served = settings.accounts.map((one) => one.account);
  const wake = () => worker()?.wake();

  async function decide(id: string, decision: Decision): Promise<OutboxReport> {
    const now = await decideRow(store, id, account, decision, keepBodies);
    events.emit('decided', { ...aboutReport(now), action: decision.action });
    waiters.settle(now);
    wake();
    return toPublicReport(now);
  }

  /** Prepares all rows first, so that they share a commit. */
  async function commitTogether(given: readonly Given[]): Promise<PromiseSettledResult<EnqueuedReport<Mode>>[]> {
    const prepared = await Promise.allSettled(given.map(async (one) => entrance.prepare(readNamed(one))));
    const accept = async (one: (typeof prepared)[number]) =>
      committed(await entrance.accept(one.status === 'fulfilled' ? one.value : await Promise.reject(one.reason)));
    return Promise.allSettled(prepared.map(accept));
  }

  const nextIdle = () =>
    new Promise<void>((resolve) => {
      idle.add(function listener() {
        idle.delete(listener);
        resolve();
      });
    });

  async function drain(options: Parameters<Outbox['drain']>[0] = {}): Promise<Drained> {
    checkOptions('drain', options);
    const { timeoutMs = LONGEST_TIMER_MS, signal } = options;
    const startedHere = !isStarted();
    const isOnlyRefused = createOnlyRefused(settings);
    start();
    const result = await withTimeout(
      async (over) => {
        await ensureOwnGateways(settings);
        wake();
        while (!over.aborted) {
          // If another tab leads, this one can only poll the counts.
          await (worker() ? nextIdle() : withTimeout(() => new Promise(() => {}), { clock, milliseconds: pollMs, signal: over }));
          const { states } = await store.counts(served);
          if (states.waiting + states['in-flight'] === 0) return true;
          // The outbox was stopped in the meantime, so it no longer sends.
          if (!isStarted()) return false;
          if (states['in-flight'] === 0 && (await isOnlyRefused())) return false;
        }
        return false;
      },
      { clock, milliseconds: timeoutMs, signal },
    );
    if (startedHere) await stop();
    if (result.ended === 'failed' && isConfigurationError(result.error)) throw result.error;
    const { states } = await store.counts(served);
    return { drained: result.ended === 'done' && result.value, states, paused: toPublicPauses(await store.outlook(served)) };
  }

  return {
    drain,
    async reportAll(given: readonly Given[]) {
      const reports = readList(given);
      const results: PromiseSettledResult<EnqueuedReport<Mode>>[] = [];
      for (let from = 0; from < reports.length; from += LARGEST_COMMIT) results.push(...(await commitTogether(reports.slice(from, from + LARGEST_COMMIT))));
      wake();
      return results;
    },
    within(transaction) {
      requireTransactions(store);
      // Without a transaction, the report would be committed even if the caller's work is rolled back.
      if (transaction === undefined || transaction === null) throw new ConfigurationError('within: expected your transaction. Nothing was enqueued.');
      return {
        reportBetEvent: (payload, options) => enqueue({ operation: 'reportBetEvent', payload, options, transaction }),
        reportSettledBet: (payload, options) => enqueue({ operation: 'reportSettledBet', payload, options, transaction }),
        reportWithdrawalEvent: (payload, options) => enqueue({ operation: 'reportWithdrawalEvent', payload, options, transaction }),
        reportSettledWithdrawal: (payload, options) => enqueue({ operation: 'reportSettledWithdrawal', payload, options, transaction }),
      };
    },
    prepare: async (operation, payload, options) =>
      prepareReport(await entrance.prepare(readNamed({ operation, payload, options })), { settings, waiters, entrance, committed, wake }),
    list: async (given = {}) => {
      checkOptions('list', given);
      const { limit = PAGE, ...query } = given;
      return (await store.list({ ...query, account, limit })).map(toPublicReport);
    },
    async *iterate(query = {}) {
      checkOptions('iterate', query);
      for (let after = query.after ?? 0; ; ) {
        const rows = await store.list({ ...query, account, after, limit: PAGE });
        yield* rows.map(toPublicReport);
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) return;
        after = last.sequence;
      }
    },
    retry: async (id, options = {}) => {
      checkOptions('retry', options);
      return decide(id, { action: 'retry', reason: options.reason ?? '', at: internals.clock.now() });
    },
    resolve: async (id, decision) => {
      checkOptions('resolve', decision);
      const { as: action, reason } = decision;
      if (action !== 'recorded' && action !== 'dismissed') throw refusal('resolve', "as: expected 'recorded' or 'dismissed'");
      if (typeof reason !== 'string' || !reason.trim()) throw refusal('resolve', 'reason: expected a text, which is stored with the report');
      return decide(id, { action, reason, at: internals.clock.now() });
    },
    resume: async (environment) => {
      checkName('resume', { environment });
      const lifted = await liftPauses(store, account, environment);
      for (const operation of lifted) events.emit('resumed', { account, environment, ...(operation && { operation }) });
      wake();
      return lifted.length > 0;
    },
  };
}
