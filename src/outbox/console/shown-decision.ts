import type { ConsoleStore, KeptDecision } from '../console-store.js';
import type { DecisionPage } from './data.js';
import type { DecisionRecord } from './decisions.js';
import { type ConsoleParts, isShown } from './parts.js';
import { recordOf } from './recorded-decision.js';

const PAGE = 50;
/** How many decisions a page looks at, where most are about accounts that are not shown. */
const LOOK = 5_000;
const READ_TOGETHER = 500;

type Shown = Pick<ConsoleParts, 'accounts'>;

/** The id of a report begins with its account, whose name holds no colon. */
const accountOf = (id: string): string => id.slice(0, id.indexOf(':'));

/** A decision as a console shows it; undefined where it is about accounts that the console does not show. */
export async function shownDecision(parts: Shown, console: ConsoleStore, kept: KeptDecision): Promise<DecisionRecord | undefined> {
  const record = recordOf(kept);
  const { about } = record;
  if ('group' in about) return isShown(parts, about.group.account) ? record : undefined;
  if ('account' in about) return isShown(parts, about.account) ? record : undefined;
  if ('ids' in about) {
    const ids = about.ids.filter((id) => isShown(parts, accountOf(id)));
    return ids.length > 0 ? { ...record, about: { ids } } : undefined;
  }
  const undone = await console.decision(about.decision);
  return undone && (await shownDecision(parts, console, undone)) ? record : undefined;
}

/** A page of the decisions about the accounts that are shown, the newest first. */
export async function shownDecisions(parts: Shown, console: ConsoleStore, before: number | undefined): Promise<DecisionPage> {
  const decisions: DecisionRecord[] = [];
  const together = parts.accounts ? READ_TOGETHER : PAGE;
  let place = before;
  for (let looked = 0; looked < LOOK; looked += together) {
    const found = await console.decisions(place, together);
    for (const kept of found) {
      const record = await shownDecision(parts, console, kept);
      place = kept.place;
      if (record) decisions.push(record);
      if (decisions.length === PAGE) return { decisions, next: String(place) };
    }
    if (found.length < together) return { decisions, next: null };
  }
  return { decisions, next: String(place) };
}
