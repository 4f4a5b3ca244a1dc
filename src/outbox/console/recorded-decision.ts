import { printable } from '../../platform/printable.js';
import type { ConsoleStore, KeptDecision, NewDecision } from '../console-store.js';
import type { DecisionRecord } from './decisions.js';
import { ConsoleRefusal } from './refusal.js';

/** A decision as people see it. */
export function recordOf({ id, action, who, reason, at, about, touched, skipped, done, undoneBy }: KeptDecision): DecisionRecord {
  const shown = { id, action: action as DecisionRecord['action'], who: printable(who), reason: printable(reason), at };
  return { ...shown, about: JSON.parse(printable(about)) as DecisionRecord['about'], touched, skipped, done, undoneBy: undoneBy ?? null };
}

/** Keeps a decision; the one that is there, where it is the same. */
export async function beginOrGoOn(console: ConsoleStore, decision: NewDecision): Promise<KeptDecision> {
  const kept = await console.begin(decision);
  const isSame = kept.action === decision.action && kept.who === decision.who && kept.reason === decision.reason && kept.about === decision.about;
  if (isSame) return kept;
  throw new ConsoleRefusal('conflict', `The id ${decision.id} is that of another decision. Nothing was done. Take a new id for each decision.`);
}
