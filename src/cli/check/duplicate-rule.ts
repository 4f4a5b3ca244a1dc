import { STATUS_CODES } from 'node:http';
import type { Answer } from '../../delivery/settings.js';

/** An answer, and the purpose of its request. */
export interface SeenAnswer {
  readonly about: string;
  readonly answer: Answer;
}

/** Refusals with a status and a matching text at `path` are duplicates. Without a path, all refusals with the status are. */
export interface DuplicateRule {
  /** The names of members, from the outside in. A digit is an index of a list. An empty path is the text of an answer that is not JSON. */
  readonly path: readonly string[] | undefined;
  readonly same: readonly Words[];
  /** Empty if the answers of this gateway do not distinguish other data from the same data. */
  readonly conflict: readonly Words[];
}

export interface Words {
  readonly status: number;
  /** The source of a regular expression for the whole text. Undefined without a path. */
  readonly pattern: string | undefined;
}

export const SAME_DATA = ', the same data';
export const OTHER_DATA = ', other data';

const LONGEST = 200;
const DEEPEST = 3;
const MOST_LEAVES = 50;
/** Refusals of many kinds have these statuses, also from servers between, so only the text can show that one is a duplicate. */
const COMMON = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429];
const FIRST = ['message', 'error', 'detail', 'code', 'title'];

/** The rule that fits the answers. Undefined if the answers do not distinguish a repeat from other refusals. */
export function duplicateRuleOf(seen: readonly SeenAnswer[], isShown: (text: string) => boolean): DuplicateRule | undefined {
  const refusals = seen.filter(({ answer }) => answer.status >= 300);
  const of = (ending: string) => refusals.flatMap(({ about, answer }) => (about.endsWith(ending) ? [answer] : []));
  const [same, other] = [of(SAME_DATA), of(OTHER_DATA)];
  const rest = refusals.flatMap(({ about, answer }) => (about.endsWith(SAME_DATA) || about.endsWith(OTHER_DATA) ? [] : [answer]));
  if (same.length === 0) return undefined;
  const rules = pathsOf(same, isShown).flatMap((path) => {
    const rule: DuplicateRule = { path, same: wordsOf(same, path), conflict: wordsOf(other, path) };
    const isWhole = [...same, ...other].every((answer) => isFit(answer, textAt(answer, path), isShown));
    return isWhole && !rest.some((answer) => applyRule(rule, answer)) ? [rule] : [];
  });
  const told = rules.find((rule) => same.every((answer) => applyRule(rule, answer) === 'same'));
  if (told) return told;
  const alike = rules.map((rule) => ({ ...rule, conflict: [] })).find((rule) => same.every((answer) => applyRule(rule, answer)));
  if (alike) return alike;
  const byStatus: DuplicateRule = { path: undefined, same: wordsOf(same, undefined), conflict: [] };
  return byStatus.same.some(({ status }) => COMMON.includes(status)) || rest.some((answer) => applyRule(byStatus, answer)) ? undefined : byStatus;
}

/** Applies a rule to an answer. The option that the check writes returns the same. */
export function applyRule({ path, same, conflict }: DuplicateRule, answer: Answer): 'same' | 'conflict' | false {
  const text = path && textAt(answer, path);
  const fits = ({ status, pattern }: Words) => status === answer.status && (pattern === undefined || (text !== undefined && new RegExp(pattern).test(text)));
  return conflict.some(fits) ? 'conflict' : same.some(fits) ? 'same' : false;
}

function wordsOf(answers: readonly Answer[], path: readonly string[] | undefined): Words[] {
  const words = answers.map((answer) => ({ status: answer.status, pattern: path && patternOf(textAt(answer, path) ?? '') }));
  return words.filter((one, index) => words.findIndex(({ status, pattern }) => status === one.status && pattern === one.pattern) === index);
}

/** The name of the status, such as "Conflict", says no more than the status. */
const isFit = ({ status }: Answer, text: string | undefined, isShown: (text: string) => boolean): boolean =>
  text !== undefined && text.length <= LONGEST && /[a-z]{3}/i.test(text) && text.toLowerCase() !== STATUS_CODES[status]?.toLowerCase() && isShown(text);

/** A word with a digit or with the reference differs each time. */
const patternOf = (text: string): string =>
  `^${text
    .trim()
    .split(/\s+/)
    .map((word) => (/\d|SDK-CHECK/.test(word) ? '\\S+' : literally(word)))
    .join('\\s+')}$`;

/** Escapes any word for a regular expression in a source file. */
const literally = (word: string): string =>
  word
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/[^\x21-\x7e]/g, (sign) => Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''));

/** The paths of the texts that all answers have and that may be shown. Texts for people come first. */
function pathsOf(answers: readonly Answer[], isShown: (text: string) => boolean): string[][] {
  const [first, ...others] = answers.map(({ body }) => leavesOf(body));
  const rank = (path: readonly string[]) => {
    const at = FIRST.indexOf(path.at(-1) ?? '');
    return path.length * FIRST.length + (at < 0 ? FIRST.length : at);
  };
  const shared = (first ?? []).filter((path) => isShown(path.join('')) && others.every((paths) => paths.some((one) => one.join('.') === path.join('.'))));
  return shared.sort((a, b) => rank(a) - rank(b));
}

function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value === 'string') return [[...path]];
  if (typeof value !== 'object' || value === null || path.length >= DEEPEST) return [];
  return Object.entries(value)
    .slice(0, MOST_LEAVES)
    .filter(([name]) => /^(?:\d|[A-Za-z_]\w{0,30})$/.test(name))
    .flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

function textAt({ body }: Answer, path: readonly string[]): string | undefined {
  let value: unknown = body;
  for (const name of path) value = typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return typeof value === 'string' ? value.trim() : undefined;
}
