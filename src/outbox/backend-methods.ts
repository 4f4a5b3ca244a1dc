import type { ClientMode } from '../core/client/payloads.js';
import type { ReceiptOf } from '../core/client/receipt.js';
import { checkOptions } from './backend-options.js';
import { decisionMethods } from './decisions/decision-methods.js';
import type { Events } from './events.js';
import { type Intake, isDistinctReference } from './intake/enqueue.js';
import { batchMethods } from './intake/report-methods.js';
import type { Outbox } from './interface.js';
import type { Lifecycle } from './lifecycle.js';
import { readReference } from './receipts/reconcile.js';
import { keptLocation } from './seal/excerpt.js';
import { drainMethod } from './sending/drain.js';
import { receiptOfRow, type Waiters } from './sending/receipt-waiters.js';
import type { AccountSettings, OutboxSettings } from './settings.js';
import { toPublicReport } from './store/public-report.js';
import { scanRows } from './store/store.js';

const PAGE = 100;

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
  | 'replaceAll'
  | 'reopen'
  | 'resume'
>;

export interface OutboxInternals {
  readonly settings: OutboxSettings;
  readonly account: AccountSettings;
  readonly events: Events;
  readonly waiters: Waiters;
  readonly intake: Intake;
  readonly lifecycle: Lifecycle;
}

export function backendMethods<Mode extends ClientMode = 'strict'>(parts: OutboxInternals): BackendMethods<Mode> {
  const {
    settings,
    account: { account, internals },
    lifecycle,
  } = parts;
  const { store, seal } = settings;
  const { wake } = lifecycle;
  return {
    ...batchMethods<Mode>({ ...parts, store, wake }),
    ...decisionMethods<Mode>({ ...parts, wake }),
    drain: drainMethod(settings, lifecycle, parts.waiters),
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
  };
}
