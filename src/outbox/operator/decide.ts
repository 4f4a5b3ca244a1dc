import { ValidationError } from '../../errors/errors.js';
import { type Change, type Decision, decided, type Row } from '../state-machine.js';
import type { OutboxStore } from '../store.js';

/** The number of tries to write a decision while workers change the row. */
const TRIES = 5;

/** Writes a person's decision about a report. Rejects with a `ValidationError` if the row does not allow it, or belongs to another account. */
export async function decideRow(store: OutboxStore, id: string, account: string | undefined, decision: Decision, keepBodies: boolean): Promise<Row> {
  const name = decision.action === 'retry' ? 'retry' : 'resolve';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [row] = await store.get([id]);
    // An account does not see the reports of another one.
    if (!row || (account ?? row.account) !== row.account) throw refusal(name, `the outbox has no report ${JSON.stringify(id)}`);
    const change = decided(row, decision, keepBodies);
    if (typeof change === 'string') throw refusal(name, `${id}: ${change}`);
    const { written } = await store.turn({ writes: [{ id, expected: row, change }], claim: undefined });
    if (written[0] === true) return changed(row, change);
  }
  throw refusal(name, `${id}: other processes keep changing it; try again`);
}

/** The error of a refused decision. */
export const refusal = (operation: 'retry' | 'resolve', message: string): ValidationError =>
  new ValidationError(`${operation}: ${message}.`, { operation, issues: [{ path: 'id', code: 'invalid', message }] });

/** A row after a change. */
export function changed(row: Row, { delayMs: _, keepBody, ...progress }: Change): Row {
  return { ...row, ...progress, body: keepBody ? row.body : undefined };
}
