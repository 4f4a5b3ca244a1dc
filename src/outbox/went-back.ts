import type { Finished } from './plan.js';
import { type Change, isFinal, type Row } from './record.js';

/**
 * What becomes of a row whose attempt may have landed, where the store holds an older state of the row than that attempt:
 * the database went back, to a backup or to a standby that had not heard of it. The doubt is kept, so that the gateway's
 * duplicate answer is read rightly. Undefined where nothing is to be done: fences only rise, so a newer one is another
 * worker's.
 */
export function keptInDoubt(stored: Row, { row, change }: Finished, leaseMs: number): Change | undefined {
  const mayHaveLanded = change.state === 'recorded' || change.inDoubt;
  const { state, fence, attempts, problem, decisions, outcome, message } = stored;
  const isKnown = state === 'in-flight' ? stored.doubtBefore : stored.inDoubt;
  if (!mayHaveLanded || isKnown || fence > row.fence || isFinal(state) || stored.fingerprint !== row.fingerprint) return undefined;
  const kept = { attempts, inDoubt: true, doubtBefore: true, problem, decisions, outcome, message, keepBody: true };
  // Another worker sends it without this knowledge: its end is fenced off, and the report waits until that attempt is over.
  return state === 'in-flight' ? { ...kept, state: 'waiting', fence: fence + 1, delayMs: leaseMs } : { ...kept, state, fence, delayMs: 0 };
}

/** Whether a row that is gone shows the same. */
export const isLost = (stored: Row | undefined, { change }: Finished): boolean => stored === undefined && (change.state === 'recorded' || change.inDoubt);

/** What a person is told about it. */
export const wentBack = (references: readonly string[]): string =>
  `The database of the outbox holds an older state than was committed before: it was restored, or a standby took over. Reports that the gateway may hold: ${references.join(', ')}. Those that are still in the store stay in doubt and are sent again. Compare all others with your records.`;
