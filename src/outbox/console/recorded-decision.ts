import { printable } from '../../platform/printable.js';
import type { ConsoleStore, KeptDecision, NewDecision } from '../console-store.js';
import type { DecisionRecord } from './decisions.js';
import { ConsoleRefusal } from './refusal.js';

/** Makes the record of a decision for the console. */
export function recordOf({ id, action, who, reason, at, about, touched, skipped, done, undoneBy }: KeptDecision): DecisionRecord {
  const shown = { id, action: action as DecisionRecord['action'], who: printable(who), reason: printable(reason), at };
  return { ...shown, about: shownAbout(about), touched, skipped, done, undoneBy: undoneBy ?? null };
}

/** Escapes each text by itself: parsing JSON would undo the escapes of `printable`. */
const shownAbout = (about: string): DecisionRecord['about'] =>
  JSON.parse(about, (_, value: unknown) => (typeof value === 'string' ? printable(value) : value)) as DecisionRecord['about'];

/** Stores a decision, or continues the same stored one. Refuses a different one with its id. */
export async function beginOrGoOn(console: ConsoleStore, decision: NewDecision): Promise<KeptDecision> {
  const kept = await console.begin(decision);
  const isSame = kept.action === decision.action && kept.who === decision.who && kept.reason === decision.reason && kept.about === decision.about;
  if (isSame) return kept;
  throw new ConsoleRefusal('conflict', `The id ${decision.id} belongs to another decision. Nothing was done. Use a new id for each decision.`);
}
