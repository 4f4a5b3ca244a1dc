import { asRecord } from '../../platform/as-record.js';
import { unprintable } from '../../platform/printable.js';
import { isStorable } from '../stores/storable.js';
import type { DecideRequest, GroupKey, Selection, UndoRequest, Who } from './decisions.js';
import { ConsoleRefusal } from './refusal.js';

const LONGEST_WHO = 200;
const LONGEST_REASON = 2_000;
const MOST_IDS = 500;
const DEFAULT_MS = 2_000;
const MOST_MS = 30_000;

const refuse = (message: string) => new ConsoleRefusal('invalid', `${message} Nothing was decided.`);

function readText(name: string, value: unknown, longest: number, why: string): string {
  if (typeof value !== 'string' || !value.trim()) throw refuse(`${name}: ${why}.`);
  if (value.length > longest) throw refuse(`${name}: expected at most ${longest} characters.`);
  if (!isStorable(value)) throw refuse(`${name}: expected a text without NUL and halves of characters.`);
  return value.trim();
}

/** Checks the person and the reason. */
export const readWho = ({ who, reason }: Who): Who => ({
  who: readText('who', who, LONGEST_WHO, 'expected the name of the person who decides'),
  reason: readText('reason', reason, LONGEST_REASON, 'expected a text, which is stored with the decision'),
});

export function readDecisionId(id: unknown): string {
  if (typeof id === 'string' && /^[A-Za-z0-9-]{16,64}$/.test(id)) return id;
  throw refuse('decision: expected an id of 16 to 64 letters, digits and -, a new one for each decision.');
}

/** Checks the time limit of a call. */
export function readBudget({ forMs = DEFAULT_MS }: Pick<DecideRequest | UndoRequest, 'forMs'>): number {
  if (typeof forMs === 'number' && forMs >= 0 && forMs <= MOST_MS) return forMs;
  throw refuse(`forMs: expected milliseconds, at most ${MOST_MS}.`);
}

export function readAction(action: unknown): DecideRequest['action'] {
  if (action === 'retry' || action === 'recorded' || action === 'dismissed') return action;
  throw refuse("action: expected 'retry', 'recorded' or 'dismissed'.");
}

/** Checks a selection, and converts its texts to those in the store. */
export function readSelection(selection: Selection): Selection {
  if (typeof selection === 'object' && selection !== null && 'ids' in selection && Array.isArray(selection.ids)) {
    const ids = [...new Set(selection.ids)];
    if (ids.length === 0 || ids.length > MOST_IDS) throw refuse(`ids: expected 1 to ${MOST_IDS} ids of reports.`);
    if (!ids.every((id) => typeof id === 'string')) throw refuse('ids: expected an array of texts.');
    return { ids: ids.map(unprintable) };
  }
  if (typeof selection === 'object' && selection !== null && 'group' in selection) {
    return { group: readGroup(selection.group) };
  }
  throw refuse('selection: expected ids or a group.');
}

/** Checks a group, and converts its words to those in the store. */
export function readGroup(group: GroupKey): GroupKey {
  const { account, environment, code, words } = asRecord(group);
  const isWhole = [account, environment, code, words].every((text) => typeof text === 'string');
  if (isWhole) return { account: group.account, environment: group.environment, code: group.code, words: unprintable(group.words) };
  throw refuse('group: expected a group from `groups`.');
}
