import type { ClientMode } from '../core/client/payloads.js';
import type { ReceiptOf } from '../core/client/receipt.js';
import { ConfigurationError, isReportingError } from '../core/errors/errors.js';
import { memberOf } from '../core/platform/as-record.js';
import { LONGEST_TIMER_MS, withTimeout } from '../core/platform/time.js';
import { announceTo, decideRow, planChange } from './decisions/decide-rows.js';
import { endPauses } from './decisions/end-pauses.js';
import { type Method, ownRow, prepareReplacement, refusal } from './decisions/replacement.js';
import type { Events } from './events.js';
import {
  type Committed,
  type Intake,
  isDistinctReference,
  type ReadyRow,
  type ReportCall,
  readReportByName,
  readReportList,
  requireTransactions,
} from './intake/enqueue.js';
import { LARGEST_COMMIT } from './intake/insert-batch.js';
import type { Drained, EnqueuedReport, Outbox, OutboxReport, PreparedReport } from './interface.js';
import type { Lifecycle } from './lifecycle.js';
import { checkName, checkOptions } from './method-options.js';
import { readReference } from './receipts/reconcile.js';
import { reportMethods } from './report-methods.js';
import { decisionsFor } from './rules/decisions.js';
import { operationScope } from './rules/destination.js';
import { type Change, type Decision, LONGEST_REASON } from './rules/state-machine.js';
import { keptLocation } from './seal/excerpt.js';
import { ensureOwnGateways } from './sending/bindings.js';
import { createOnlyRefused } from './sending/only-refused.js';
import { receiptOfRow, type Waiters } from './sending/receipt-waiters.js';
import { standstillOf } from './sending/standstill.js';
import type { AccountSettings, OutboxSettings } from './settings.js';
import { toPublicPauses, toPublicReport } from './store/public-report.js';
import { scanRows } from './store/store.js';

/** The default number of listed reports, and the number that is read at once. */
const PAGE = 100;
/** How long `drain` waits by itself while a pause or a missing key holds every report that is left. */
const STANDSTILL_MS = 10_000;

/** The methods of an outbox that only a backend has: batches, transactions, lists, decisions and `drain`. */
export type BackendMethods<Mode extends ClientMode = 'strict'> = Pick<
  Outbox<Mode>,
  | 'reportAll'
  | 'within'
  | 'prepare'
  | 'drain'
  | 'list'
  | 'iterate'
  | 'receipt'
  | 'retry'
  | 'resolve'
  | 'replace'
  | 'reopen'
  | 'resume'
>;

export interface OutboxInternals<Mode extends ClientMode = 'strict'> {
  readonly settings: OutboxSettings;
  readonly account: AccountSettings;
  readonly events: Events;
  readonly waiters: Waiters;
  readonly intake: Intake;
  readonly lifecycle: Lifecycle;
  toEnqueuedReport(committed: Committed): EnqueuedReport<Mode>;
  enqueue(given: ReportCall): Promise<EnqueuedReport<Mode>>;
}

export function backendMethods<Mode extends ClientMode = 'strict'>({
  settings,
  account: { account, internals },
  events,
  waiters,
  intake,
  lifecycle: { start, stop, isStarted, isWorking, wake, whenIdle },
  toEnqueuedReport,
  enqueue,
}: OutboxInternals<Mode>): BackendMethods<Mode> {
  const { store, seal, keepBodies, pollMs, clock } = settings;
  const served = settings.accounts.map((one) => one.account);

  const place = { store, announce: announceTo(events, waiters) };

  async function decide(
    method: Method,
    id: string,
    given: Pick<Decision, 'action' | 'reason'>,
    replacement?: Change['replacement'],
  ): Promise<OutboxReport> {
    const decision: Decision = { ...given, at: internals.clock.now() };
    const plan = async () => {
      const row = await ownRow(store, id, account, method);
      return [{ row, change: planChange(row, decision, keepBodies, replacement) }];
    };
    const [own, ...settlements] = await decideRow(place, plan, decision);
    if (!own?.row)
      throw refusal(method, `${id}: ${own?.isLate ? 'other processes keep changing it; try again' : own?.why}`);
    for (const { id: other, why } of settlements) {
      if (why === undefined) continue;
      const message = `The settlement ${other} is not reopened: ${why}.`;
      settings.logger.warn(message);
      events.emit('error', { message, cause: undefined });
    }
    wake();
    return toPublicReport(own.row);
  }

  /** The reason of a decision that needs one. */
  function reasonOf(method: Method, { reason }: { readonly reason?: unknown }): string {
    if (typeof reason === 'string' && reason.trim() && reason.length <= LONGEST_REASON) return reason;
    throw refusal(
      method,
      `reason: expected a text of at most ${LONGEST_REASON.toLocaleString('en')} characters, which is stored with the report`,
    );
  }

  /** Prepares all rows first, so that they share a commit. */
  async function commitTogether(given: readonly ReportCall[]): Promise<PromiseSettledResult<EnqueuedReport<Mode>>[]> {
    const preparing: Promise<ReadyRow>[] = [];
    /** A settlement may take the location of a report before it in the list. */
    async function locationBefore(index: number, ids: readonly string[]) {
      for (const before of await Promise.allSettled(preparing.slice(0, index)))
        if (before.status === 'fulfilled' && ids.includes(before.value.row.id)) return before.value.report.location;
      return undefined;
    }
    for (const [index, one] of given.entries())
      preparing.push((async () => intake.prepare(readReportByName(one), (ids) => locationBefore(index, ids)))());
    const prepared = await Promise.allSettled(preparing);
    const accept = async (one: (typeof prepared)[number]) =>
      toEnqueuedReport(await intake.accept(one.status === 'fulfilled' ? one.value : await Promise.reject(one.reason)));
    return Promise.allSettled(prepared.map(accept));
  }

  function preparedReport(prepared: ReadyRow): PreparedReport<Mode> {
    const { row } = prepared;
    const report = {
      id: row.id,
      async enqueue(...given: readonly [transaction?: unknown]): Promise<EnqueuedReport<Mode>> {
        const [transaction] = given;
        // Otherwise an undefined transaction, passed by mistake, would commit the report by itself.
        if (given.length > 0 && (transaction === undefined || transaction === null))
          throw new ConfigurationError(
            'enqueue: expected your transaction; call it without an argument for a separate commit. Nothing was enqueued.',
          );
        if (transaction !== undefined) requireTransactions(store);
        const enqueued = toEnqueuedReport(await intake.accept(prepared, transaction));
        wake();
        return enqueued;
      },
    };

    function value(): string {
      const asValue = memberOf(store, 'asValue');
      if (!asValue)
        throw new ConfigurationError(
          'value: only the PostgreSQL store can enqueue in your own statement; call enqueue(transaction). Nothing was enqueued.',
        );
      return asValue.call(store, row);
    }

    // Not enumerable, so that loggers skip it: it holds the report.
    return Object.defineProperty(report, 'value', { get: value }) as PreparedReport<Mode>;
  }

  async function drain(options: Parameters<Outbox['drain']>[0] = {}): Promise<Drained> {
    checkOptions('drain', options);
    const { timeoutMs, signal } = options;
    const startedHere = !isStarted();
    const isOnlyRefused = createOnlyRefused(settings);
    start();
    const result = await withTimeout(
      async (over) => {
        await ensureOwnGateways(settings);
        wake();
        let ended = -1;
        let stoodSince = 0;
        while (!over.aborted) {
          // If another tab leads, this one can only poll the counts.
          const leads = isWorking();
          await withTimeout(() => new Promise<void>((resolve) => (leads ? whenIdle(resolve) : undefined)), {
            clock,
            milliseconds: leads ? STANDSTILL_MS : pollMs,
            signal: over,
          });
          const { states } = await store.counts(served);
          if (states.waiting + states['in-flight'] === 0) return true;
          // The outbox was stopped in the meantime, so it no longer sends.
          if (!isStarted()) return false;
          if (states['in-flight'] > 0) continue;
          if (await isOnlyRefused()) return false;
          if (timeoutMs !== undefined) continue;
          const standstill = await standstillOf(settings);
          const final = states.recorded + states.quarantined + states.dismissed;
          if (!standstill || final !== ended) [ended, stoodSince] = [final, clock.now()];
          else if (clock.now() - stoodSince >= STANDSTILL_MS) throw standstill;
        }
        return false;
      },
      { clock, milliseconds: Math.min(LONGEST_TIMER_MS, timeoutMs ?? LONGEST_TIMER_MS), signal },
    );
    if (startedHere) await stop();
    if (result.ended === 'failed' && isReportingError(result.error)) throw result.error;
    const { states } = await store.counts(served);
    return {
      drained: result.ended === 'done' && result.value,
      states,
      paused: toPublicPauses(await store.outlook(served)),
    };
  }

  return {
    drain,
    async reportAll(given: readonly ReportCall[]) {
      const reports = readReportList(given);
      const results: PromiseSettledResult<EnqueuedReport<Mode>>[] = [];
      for (let from = 0; from < reports.length; from += LARGEST_COMMIT)
        results.push(...(await commitTogether(reports.slice(from, from + LARGEST_COMMIT))));
      wake();
      return results;
    },
    within(transaction) {
      requireTransactions(store);
      // Without a transaction, the report would be committed even if the caller's work is rolled back.
      if (transaction === undefined || transaction === null)
        throw new ConfigurationError('within: expected your transaction. Nothing was enqueued.');
      return reportMethods((call) => enqueue({ ...call, transaction }));
    },
    prepare: async (operation, payload, options) =>
      preparedReport(await intake.prepare(readReportByName({ operation, payload, options }))),
    list: async (given = {}) => {
      checkOptions('list', given);
      const { limit = PAGE, ...query } = given;
      return (await store.list({ ...query, account, limit })).map(toPublicReport);
    },
    async *iterate(query = {}) {
      checkOptions('iterate', query);
      for await (const row of scanRows(store, { ...query, account }, PAGE)) yield toPublicReport(row);
    },
    receipt: async (report) => {
      const { environment = 'relay' } = internals;
      const { id, reference } = readReference(report, { environment }, { method: 'receipt', account });
      const [row] = isDistinctReference(reference) ? await store.get([id]) : [];
      if (row?.state !== 'recorded') return undefined;
      return receiptOfRow(row, await keptLocation(seal, row)) as ReceiptOf<Mode>;
    },
    retry: async (id, options = {}) => {
      checkOptions('retry', options);
      const reason = options.reason ? reasonOf('retry', options) : '';
      return decide('retry', id, { action: 'retry', reason });
    },
    resolve: async (id, decision) => {
      checkOptions('resolve', decision);
      const { as: action } = decision;
      if (action !== 'recorded' && action !== 'dismissed')
        throw refusal('resolve', "as: expected 'recorded' or 'dismissed'");
      return decide('resolve', id, { action, reason: reasonOf('resolve', decision) });
    },
    replace: async (id, payload, options) => {
      const { reason: _, ...callOptions } = checkedReplaceOptions(options);
      const reason = reasonOf('replace', options);
      const row = await ownRow(store, id, account, 'replace');
      const why = decisionsFor(row).replaced;
      // Before a location is looked up for data that would not be taken.
      if (why !== undefined) throw refusal('replace', `${id}: ${why}`);
      // A process in mock mode has a location that no player has.
      await ensureOwnGateways(settings);
      const replacement = await prepareReplacement(intake, seal, row, payload, callOptions);
      return decide('replace', id, { action: 'replaced', reason }, replacement);
    },
    reopen: async (id, options) => {
      checkOptions('reopen', options);
      return decide('reopen', id, { action: 'reopened', reason: reasonOf('reopen', options) });
    },
    resume: async (environment) => {
      checkName('resume', { environment });
      const resumed = (await endPauses(store, { account, environment })).filter(({ isResumed }) => isResumed);
      for (const pause of resumed) events.emit('resumed', operationScope(pause));
      wake();
      return resumed.length > 0;
    },
  };
}

/** The options of `replace`. Those of a call are checked with the payload. */
function checkedReplaceOptions<Options extends object>(options: Options): Options {
  if (typeof options === 'object' && options !== null) return options;
  throw refusal('replace', 'options: expected an object with the reason');
}
