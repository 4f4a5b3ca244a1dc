import { isValidationError } from '../../errors/guards.js';
import { readHead, readReceipts } from '../receipts/log.js';
import { reconcile } from '../receipts/reconcile.js';
import { verifyReceipts } from '../receipts/verify.js';
import type { OutboxStore } from '../store.js';
import type { ProofData, VerifyStep } from './data.js';
import { type ConsoleParts, isShown } from './parts.js';
import { ConsoleRefusal } from './refusal.js';

/** The number of lines between two reports of the progress. */
const EVERY = 1_000;

/** Makes the console's access to the receipt log. */
export const proofData = (parts: ConsoleParts): ProofData => ({
  head: async () => (await readHead(parts.store)) ?? null,
  verify: (head) => verify(parts.store, head),
  async *reconcile(account, references, defaults) {
    if (!isShown(parts, account)) throw new ConsoleRefusal('not-found', 'The console does not show an account of this name.');
    try {
      yield* reconcile(parts.store, account, references, defaults);
    } catch (error) {
      if (isValidationError(error)) throw new ConsoleRefusal('invalid', error.message);
      throw error;
    }
  },
});

async function* verify(store: OutboxStore, head: string | undefined): AsyncGenerator<VerifyStep> {
  const of = ((await store.receipts.last())?.index ?? -1) + 1;
  let done = 0;
  let ended = false;
  let wake = () => {};
  async function* counted() {
    for await (const line of readReceipts(store)) {
      if (ended) return;
      done += 1;
      if (done % EVERY === 0) wake();
      yield line;
    }
  }
  const verdict = verifyReceipts(counted(), { head });
  verdict.catch(() => {}).finally(() => wake());
  try {
    for (let told = 0; ; ) {
      const next = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      const found = await Promise.race([verdict, next]);
      if (found) {
        yield { kind: 'verdict', verdict: found };
        return;
      }
      if (done > told) yield { kind: 'progress', done, of };
      told = done;
    }
  } finally {
    // The caller left the loop, so the verification stops.
    ended = true;
  }
}
