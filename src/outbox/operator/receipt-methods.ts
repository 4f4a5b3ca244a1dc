import type { Events } from '../events.js';
import type { Outbox } from '../interface.js';
import { checkOptions } from '../method-options.js';
import { type AnyIterable, createReceiptLog, readHead, readReceipts } from '../receipts/log.js';
import { pruneReports, readPruneOptions } from '../receipts/prune.js';
import { type ReconcileDefaults, type Reconciled, reconcile } from '../receipts/reconcile.js';
import { createVerifier, type ReceiptsVerdict } from '../receipts/verify.js';
import type { OutboxSettings } from '../settings.js';
import { type OperatorContext, requireShown } from './context.js';

export interface ReceiptMethods {
  methods(account: string): Pick<Outbox, 'exportReceipts' | 'receiptHead' | 'reconcile' | 'prune'>;
  /** Called when the worker starts. Adds the lines that the last process could not add. */
  started(): void;
  /** Called when the worker has stopped. Adds the missing lines within the time limit. */
  stopped(timeoutMs: number): Promise<void>;
}

export function createReceiptMethods({ store, clock }: OutboxSettings, events: Events): ReceiptMethods {
  const log = createReceiptLog(store, events, clock);
  events.on('recorded', log.soon);
  events.on('decided', log.soon);
  return {
    started: log.soon,
    stopped: log.stop,
    methods: (account) => ({
      async *exportReceipts(options = {}) {
        checkOptions('exportReceipts', options);
        await log.catchUp();
        yield* readReceipts(store, options.from ?? 0);
      },
      receiptHead: () => readHead(store),
      reconcile: (references, defaults) => reconcile(store, account, references, defaults),
      prune: async (options) => {
        checkOptions('prune', options);
        const olderThanDays = readPruneOptions(options);
        return { pruned: await pruneReports(store, { ...options, account, olderThanDays, clock }) };
      },
    }),
  };
}

export type VerifyStep =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'verdict'; readonly verdict: ReceiptsVerdict };

/** The number of lines between two reports of the progress. */
const EVERY = 1_000;

/** Verifies the log. Yields its progress from time to time, and the verdict last. Leave the loop to stop it. */
export async function* verifySteps({ store }: OperatorContext, head?: string): AsyncGenerator<VerifyStep> {
  const of = ((await store.receipts.last())?.index ?? -1) + 1;
  const verifier = createVerifier(head);
  let done = 0;
  for await (const line of readReceipts(store)) {
    const verdict = await verifier.add(line.slice(0, -1));
    if (verdict) {
      yield { kind: 'verdict', verdict };
      return;
    }
    done += 1;
    if (done % EVERY === 0) yield { kind: 'progress', done, of };
  }
  yield { kind: 'verdict', verdict: verifier.end() };
}

/** Compares a list with the outbox; see `Outbox.reconcile`. Each item must name a report. */
export function reconcileShown(
  context: OperatorContext,
  account: string,
  references: AnyIterable<string>,
  defaults: Required<ReconcileDefaults>,
): AsyncIterable<Reconciled> {
  requireShown(context, account);
  return reconcile(context.store, account, references, defaults);
}
