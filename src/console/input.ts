import type { Selection } from '../outbox/operator/decision-log.js';
import { OUTBOX_ENVIRONMENTS, type OutboxEnvironment } from '../outbox/rules/destination.js';
import { LONGEST_REASON } from '../outbox/rules/state-machine.js';
import type { ProblemKey } from '../outbox/store/operator-store.js';
import { isStorable } from '../outbox/stores/rows.js';
import { unprintable } from '../platform/messages.js';
import { type ReportName, reportNames } from '../protocol/operations.js';
import { refuse } from '../web/answer.js';
import { invalid } from './answers.js';

/**
 * The checks of a call's input, the only ones between the page and the store. The page shows ids and words of problems
 * with their control characters escaped, so those are converted back here.
 */

export type Input = Readonly<Record<string, unknown>>;

const MOST_IDS = 500;
const LONGEST_TEXT = 4_000;
/** The last time that a `Date` can hold; PostgreSQL refuses numbers that are much larger. */
const LAST_TIME = 8.64e15;
/** As `crypto.randomUUID` makes it. */
const DECISION = /^[A-Za-z0-9-]{16,64}$/;

const wrong = (name: string, expected: string): never =>
  refuse(invalid(`${name}: expected ${expected}. Nothing was changed.`));

const member = (input: Input, name: string): unknown =>
  Object.hasOwn(input, name) && input[name] !== null ? input[name] : undefined;

export function readText(input: Input, name: string, longest?: number): string {
  const value = readOptionalText(input, name, longest);
  return value === undefined || value.trim() === '' ? wrong(name, 'a text') : value;
}

export function readOptionalText(input: Input, name: string, longest = LONGEST_TEXT): string | undefined {
  const value = member(input, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > longest)
    return wrong(name, `a text of at most ${longest} characters`);
  return isStorable(value) ? value : wrong(name, 'a text without NUL and halves of characters');
}

export const readId = (input: Input): string => unprintable(readText(input, 'id'));

export const readReason = (input: Input): string => readText(input, 'reason', LONGEST_REASON).trim();

export function readCursor(input: Input, name: string): string | undefined {
  const value = readOptionalText(input, name);
  if (value === undefined || (/^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value)))) return value;
  return wrong(name, 'the `next` of the previous page');
}

export function readTime(input: Input, name: string): number | undefined {
  const value = member(input, name);
  if (value === undefined) return undefined;
  return typeof value === 'number' && value >= 0 && value <= LAST_TIME
    ? value
    : wrong(name, 'a time in milliseconds since 1970');
}

export function readWord<const Word extends string>(
  input: Input,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = member(input, name);
  if (value === undefined) return undefined;
  return words.find((word) => word === value) ?? wrong(name, words.join(', '));
}

export const requireWord = <const Word extends string>(input: Input, name: string, words: readonly Word[]): Word =>
  readWord(input, name, words) ?? wrong(name, words.join(', '));

export const readOperation = (input: Input): ReportName | undefined => readWord(input, 'operation', reportNames);

export const readNarrowing = (input: Input) => ({
  account: readOptionalText(input, 'account'),
  environment: readWord(input, 'environment', OUTBOX_ENVIRONMENTS),
});

export const readPlace = (input: Input): { account: string; environment: OutboxEnvironment } => ({
  account: readText(input, 'account'),
  environment: requireWord(input, 'environment', OUTBOX_ENVIRONMENTS),
});

/** The id of a decision: the page makes one for each, so that a second press of a button is the same decision. */
export function readDecision(input: Input, name = 'decision'): string {
  const value = readText(input, name);
  return DECISION.test(value) ? value : wrong(name, '16 to 64 letters, digits and -');
}

export const readOptionalDecision = (input: Input, name: string): string | undefined =>
  member(input, name) === undefined ? undefined : readDecision(input, name);

export function readList(input: Input, name: string, most: number): readonly string[] {
  const value = member(input, name);
  const isList =
    Array.isArray(value) &&
    value.length <= most &&
    value.every((one) => typeof one === 'string' && one.trim() !== '' && one.length <= LONGEST_TEXT);
  return isList ? value : wrong(name, `a list of at most ${most} texts`);
}

function readObject(input: Input, name: string, expected: string): Input | undefined {
  const value = member(input, name);
  if (value === undefined) return undefined;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Input) : wrong(name, expected);
}

/** The reports of a decision: ids, or a group of the page. Each id counts once. */
export function readSelection(input: Input): Selection {
  const given = readObject(input, 'selection', '{ ids } or { group }');
  if (!given) return wrong('selection', '{ ids } or { group }');
  if (member(given, 'ids') !== undefined) {
    const ids = new Set(readList(given, 'ids', MOST_IDS).map(unprintable));
    return ids.size > 0 ? { ids: [...ids] } : wrong('selection', 'at least one report');
  }
  const group = readOptionalGroup(given);
  return group ? { group } : wrong('selection', '{ ids } or { group }');
}

/** A group of the page. Undefined if none is named. */
export function readOptionalGroup(input: Input): ProblemKey | undefined {
  const given = readObject(input, 'group', '{ account, environment, code, words }');
  if (!given) return undefined;
  const words = unprintable(readOptionalText(given, 'words') ?? '');
  return { ...readPlace(given), code: readText(given, 'code'), words };
}
