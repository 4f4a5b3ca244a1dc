import { ValidationError } from '../../errors/errors.js';
import { type Change, type Decision, decided, type Row } from '../state-machine.js';
import type { OutboxStore } from '../store.js';

/** How often a change by a person is tried, when others change the row too. */
const TRIES = 5;

/** Writes a person's decision about a report, of the account if one is given. Rejects with a `ValidationError` where it does not fit the row as it is now. */
export async function decideRow(store: OutboxStore, id: string, account: string | undefined, decision: Decision, keepBodies: boolean): Promise<Row> {
  const name = decision.action === 'retry' ? 'retry' : 'resolve';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [row] = await store.get([id]);
    // What belongs to another account is not for this one to decide.
    if (!row || (account ?? row.account) !== row.account) throw refusal(name, `the outbox has no report ${JSON.stringify(id)}`);
    const change = decided(row, decision, keepBodies);
    if (typeof change === 'string') throw refusal(name, `${id}: ${change}`);
    const { written } = await store.turn({ writes: [{ id, expected: row, change }], claim: undefined });
    if (written[0] === true) return changed(row, change);
  }
  throw refusal(name, `${id} is being changed by others all the time; try again`);
}

/** Why a person's decision is not taken. */
export const refusal = (operation: 'retry' | 'resolve', message: string): ValidationError =>
  new ValidationError(`${operation}: ${message}.`, { operation, issues: [{ path: 'id', code: 'invalid', message }] });

/** A row after a change. */
export function changed(row: Row, { delayMs: _, keepBody, ...progress }: Change): Row {
  return { ...row, ...progress, body: keepBody ? row.body : undefined };
}
