import type { GroupKey, Selection } from '../outbox/console/decisions.js';
import type { OutboxEnvironment } from '../outbox/destination.js';
import { type ReportName, reportNames } from '../protocol/operations.js';
import { invalid, refuse } from './answers.js';

/** The input of a call, unchecked. */
export type Input = Readonly<Record<string, unknown>>;

const MOST_IDS = 500;
const LONGEST_TEXT = 4_000;
/** The last time that a `Date` can hold; PostgreSQL refuses numbers that are much larger. */
const LAST_TIME = 8.64e15;
export const ENVIRONMENTS = ['staging', 'production', 'relay'] as const;
/** As `crypto.randomUUID` makes it. */
const DECISION = /^[A-Za-z0-9-]{16,64}$/;

const wrong = (name: string, expected: string): never => refuse(invalid(`${name}: expected ${expected}. Nothing was changed.`));

/** A member of the input itself, never one that every object has. */
const member = (input: Input, name: string): unknown => (Object.hasOwn(input, name) && input[name] !== null ? input[name] : undefined);

export function readText(input: Input, name: string): string {
  const value = readOptionalText(input, name);
  return value === undefined || value.trim() === '' ? wrong(name, 'a text') : value;
}

export function readOptionalText(input: Input, name: string): string | undefined {
  const value = member(input, name);
  if (value === undefined) return undefined;
  return typeof value === 'string' && value.length <= LONGEST_TEXT ? value : wrong(name, `a text of at most ${LONGEST_TEXT} characters`);
}

export function readTime(input: Input, name: string): number | undefined {
  const value = member(input, name);
  if (value === undefined) return undefined;
  return typeof value === 'number' && value >= 0 && value <= LAST_TIME ? value : wrong(name, 'a time in milliseconds since 1970');
}

export function readWord<const Word extends string>(input: Input, name: string, words: readonly Word[]): Word | undefined {
  const value = member(input, name);
  if (value === undefined) return undefined;
  return words.find((word) => word === value) ?? wrong(name, words.join(', '));
}

export const requireWord = <const Word extends string>(input: Input, name: string, words: readonly Word[]): Word =>
  readWord(input, name, words) ?? wrong(name, words.join(', '));

export const readEnvironment = (input: Input): OutboxEnvironment | undefined => readWord(input, 'environment', ENVIRONMENTS);
export const readOperation = (input: Input): ReportName | undefined => readWord(input, 'operation', reportNames);

export const readNarrowing = (input: Input) => ({ account: readOptionalText(input, 'account'), environment: readEnvironment(input) });

/** The id of a decision: the page makes one for each, so that a second press of a button is the same decision. */
export function readDecision(input: Input, name = 'decision'): string {
  const value = readText(input, name);
  return DECISION.test(value) ? value : wrong(name, '16 to 64 letters, digits and -');
}

export function readList(input: Input, name: string, most: number): readonly string[] {
  const value = member(input, name);
  const isList = Array.isArray(value) && value.length <= most && value.every((one) => typeof one === 'string' && one.length <= LONGEST_TEXT);
  return isList ? value : wrong(name, `a list of at most ${most} texts`);
}

/** Which reports a decision is about: ids, or a group as it was shown. */
export function readSelection(input: Input): Selection {
  const value = member(input, 'selection');
  if (typeof value !== 'object' || value === undefined || value === null || Array.isArray(value)) return wrong('selection', '{ ids } or { group }');
  const given = value as Input;
  if (member(given, 'ids') !== undefined) {
    const ids = readList(given, 'ids', MOST_IDS);
    return ids.length > 0 ? { ids } : wrong('selection', 'at least one report');
  }
  const group = readOptionalGroup(given);
  return group ? { group } : wrong('selection', '{ ids } or { group }');
}

/** A group as it was shown; undefined where none is named. */
export function readOptionalGroup(input: Input): GroupKey | undefined {
  const group = member(input, 'group');
  if (group === undefined) return undefined;
  return typeof group === 'object' && !Array.isArray(group) ? readGroup(group as Input) : wrong('group', '{ account, environment, code, words }');
}

function readGroup(group: Input): GroupKey {
  const environment = readEnvironment(group) ?? wrong('environment', ENVIRONMENTS.join(', '));
  return { account: readText(group, 'account'), environment, code: readText(group, 'code'), words: readOptionalText(group, 'words') ?? '' };
}
