import type { AnyIterable } from '../core/platform/in-batches.js';
import { readReceipts } from '../outbox/receipts/log.js';
import { type ReconcileDefaults, type Reconciled, reconcile } from '../outbox/receipts/reconcile.js';
import { createVerifier, type ReceiptsVerdict } from '../outbox/receipts/verify.js';
import { type OperatorContext, requireShown } from './context.js';

export type VerifyStep =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'verdict'; readonly verdict: ReceiptsVerdict };

const EVERY = 1_000;

/** Yields its progress from time to time, and the verdict last. Leave the loop to stop it. */
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
