import { isValidationError } from '../../errors/guards.js';
import { type Decision, decided, isFinal, type Row } from '../state-machine.js';
import type { OutboxStore } from '../store.js';
import { decideRow } from './decide.js';

/** More than the reports of one reference in one account and environment. */
const MOST = 20;

/** The settlement that waits for an initiated report, while it is open. */
export async function openSettlementOf(store: OutboxStore, { id, account, environment, reference }: Row): Promise<Row | undefined> {
  const rows = await store.list({ account, environment, reference, limit: MOST });
  return rows.find(({ waitsFor, state }) => waitsFor === id && !isFinal(state));
}

/**
 * Dismisses an initiated report, and quarantines its blocked settlement first, which no worker sends then: the caller dismisses it
 * next. Where the initiated report cannot be dismissed, the settlement is blocked again.
 */
export async function dismissHoldingSettlement(store: OutboxStore, row: Row, decision: Decision, keepBodies: boolean): Promise<Row> {
  const settlement = typeof decided(row, decision, keepBodies) === 'string' ? undefined : await openSettlementOf(store, row);
  const held = settlement?.blocked && (await holdBack(store, settlement)) ? settlement : undefined;
  try {
    return await decideRow(store, row.id, undefined, decision, keepBodies);
  } catch (error) {
    if (held && isValidationError(error)) await decideRow(store, held.id, undefined, { ...decision, action: 'retry' }, true);
    throw error;
  }
}

/** Quarantines a blocked row; false where others changed it meanwhile. */
async function holdBack(store: OutboxStore, row: Row): Promise<boolean> {
  const { id, state, fence, attempts, inDoubt, doubtBefore, decisions } = row;
  const problem = { code: 'not-found', message: 'Its initiated report was to be dismissed. Dismiss this settlement, too, or retry it.' } as const;
  const progress = { state: 'quarantined', fence, attempts, inDoubt, doubtBefore } as const;
  const change = { ...progress, delayMs: 0, outcome: undefined, message: undefined, requestId: undefined, problem, decisions, keepBody: true };
  const { written } = await store.turn({ writes: [{ id, expected: { state, fence }, change }], claim: undefined });
  return written[0] === true;
}
