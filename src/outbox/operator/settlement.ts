import { isValidationError } from '../../errors/guards.js';
import { type Decision, decided, isFinal, type Row } from '../state-machine.js';
import type { OutboxStore } from '../store.js';
import { decideRow } from './decide.js';

/** Larger than the number of reports of one reference in one account and environment. */
const MOST = 20;

/** The open settlement that waits for an initiated report. */
export async function openSettlementOf(store: OutboxStore, { id, account, environment, reference }: Row): Promise<Row | undefined> {
  const rows = await store.list({ account, environment, reference, limit: MOST });
  return rows.find(({ waitsFor, state }) => waitsFor === id && !isFinal(state));
}

/**
 * Dismisses an initiated report. Quarantines its blocked settlement first, so that no worker sends it before the caller dismisses
 * it, too. If the initiated report cannot be dismissed, the settlement is blocked again.
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

/** Quarantines a blocked row. False if the row was changed in the meantime. */
async function holdBack(store: OutboxStore, row: Row): Promise<boolean> {
  const { id, state, fence, attempts, inDoubt, doubtBefore, decisions } = row;
  const problem = { code: 'not-found', message: 'A person was dismissing its initiated report. Dismiss this settlement, too, or retry it.' } as const;
  const progress = { state: 'quarantined', fence, attempts, inDoubt, doubtBefore } as const;
  const change = { ...progress, delayMs: 0, outcome: undefined, message: undefined, requestId: undefined, problem, decisions, keepBody: true };
  const { written } = await store.turn({ writes: [{ id, expected: { state, fence }, change }], claim: undefined });
  return written[0] === true;
}
