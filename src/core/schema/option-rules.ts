import { asOwnRecord, asRecord, bareObject, isRecord, memberOf } from '../platform/as-record.js';
import { hasOwn } from '../platform/portable.js';
import { LONGEST_TIMER_MS } from '../platform/time.js';
import { unlessThrown } from '../platform/unless-thrown.js';
import { anything, checked, type Field, flag, number, string, text } from './fields.js';
import { issue, type ValidationIssue } from './issue.js';
import { isModel, type Model, model } from './model.js';
import { listIssues, suggest, validate } from './validate.js';

export class Option<T> {
  constructor(
    readonly schema: Field | Model,
    readonly standard: T,
    readonly isRequired: boolean,
  ) {}
}

export interface OptionTable {
  readonly [name: string]: Option<unknown> | OptionTable;
}

export type CompleteOptions<T> = {
  readonly [Name in keyof T]: T[Name] extends Option<infer Value> ? Value : CompleteOptions<T[Name]>;
};

type Own = Readonly<Record<string, unknown>>;

/** The user's own options and the same completed by the table, or all their problems. */
type OptionsRead<T> =
  | { readonly own: Own; readonly complete: CompleteOptions<T>; readonly problem: undefined }
  | { readonly problem: string; readonly issues: readonly ValidationIssue[] };

export const option = <T>(schema: Field | Model, standard: T) => new Option<T>(schema, standard, false);
export const optional = <T>(schema: Field | Model) => new Option<T | undefined>(schema, undefined, false);
export const required = <T>(schema: Field | Model) => new Option<T>(schema, undefined as T, true);

/** `expected` completes the sentence "expected …". */
export const must = (expected: string, holds: (value: unknown) => boolean): Field =>
  checked(expected, (value) => unlessThrown(() => holds(value)) === true);
export const having = (...methods: string[]) =>
  must(`an object with ${methods.join(', ')}`, (value) => hasMethods(value, methods));
export const hasMethods = (value: unknown, methods: readonly string[]): boolean =>
  methods.every((name) => typeof memberOf(asRecord(value), name) === 'function');
const range = (least: number, most: number) => `from ${least}${Number.isFinite(most) ? ` to ${most}` : ''}`;
export const milliseconds = (least: number, most: number) =>
  number(`a number of milliseconds ${range(least, most)}`, [least, most]);
export const wholeNumber = (least: number, most = Number.POSITIVE_INFINITY, unit = '') =>
  must(
    `a whole number${unit && ` of ${unit}`} ${range(least, most)}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );
export const oneOf = (...words: string[]): Field => {
  const expected = words.map((word) => `'${word}'`).join(' or ');
  return checked(
    (value) => {
      const meant = typeof value === 'string' ? nearest(value, words) : undefined;
      return meant ? `${expected} (did you mean '${meant}'?)` : expected;
    },
    (value) => words.includes(value as string),
  );
};
/** The word that a misspelt or shortened one means, for example `prod`. */
export const nearest = (given: string, words: readonly string[]): string | undefined =>
  suggest(given, words) ?? words.find((word) => given.length > 2 && word.startsWith(given.toLowerCase().slice(0, 4)));
export const isDuration = milliseconds(0, LONGEST_TIMER_MS);
/** Every wait has a limit, so 0 does not mean "none". */
export const isLimit = milliseconds(1, LONGEST_TIMER_MS);
export const isFlag: Field = flag();
export const isString: Field = string('a string');
export const isWord: Field = text();
export const isFunction = must('a function', (value) => typeof value === 'function');
export const isObject = must('an object', (value) => asRecord(value) === value);
export const isClock = having('now', 'setTimeout', 'clearTimeout');
/** For an option that another module checks. */
export const isAnything = anything;

const models = new WeakMap<OptionTable, Model>();

function modelOf(table: OptionTable): Model {
  const known = models.get(table);
  if (known) return known;
  const rows = Object.entries(table);
  const fieldsOf = (wanted: boolean) =>
    Object.fromEntries(
      rows.flatMap(([name, entry]) => {
        const isOption = entry instanceof Option;
        return (isOption && entry.isRequired) === wanted ? [[name, isOption ? entry.schema : modelOf(entry)]] : [];
      }),
    );
  const made = model(fieldsOf(true), fieldsOf(false));
  models.set(table, made);
  return made;
}

export const UNREADABLE = issue(['options'], 'not-json', 'could not be read: a getter or proxy threw');

/**
 * Lists every problem at once: wrong names, wrong values, and those that `more` finds in the user's own members, which
 * may have any value. `of` names the options in the message. `otherNames` has the messages for unknown names that
 * people are known to write, by their paths.
 */
export function readOptions<T extends OptionTable>(
  of: string,
  table: T,
  options: unknown,
  more: (own: Own) => readonly ValidationIssue[] = () => [],
  otherNames: Readonly<Record<string, string>> = {},
): OptionsRead<T> {
  const issues: ValidationIssue[] = [];
  try {
    const own = ownOptions(table, options === undefined ? {} : options);
    const checked = validate(modelOf(table), 'strict', own);
    const inOurs = (one: ValidationIssue) =>
      hasOwn(otherNames, one.path) ? { ...one, message: otherNames[one.path] ?? one.message } : one;
    issues.push(...checked.issues.map(inOurs), ...more(asRecord(own)));
    if (checked.value && issues.length === 0)
      return { own: checked.value, complete: complete(table, checked.value), problem: undefined };
  } catch {
    // A getter or proxy may throw any value, at any depth.
    issues.push(UNREADABLE);
  }
  return { problem: optionsProblem(of, issues), issues };
}

export const optionsProblem = (of: string, issues: readonly ValidationIssue[]): string =>
  `The options${of && ` of ${of}`} cannot be used: ${listIssues(issues)}`;

/**
 * The options' own members, each read once: the copy leaves out what a library added to `Object.prototype`. An error of
 * a getter is thrown.
 */
function ownOptions(table: object, given: unknown): unknown {
  if (!isRecord(given)) return given;
  const entries = asOwnRecord(table) as OptionTable;
  const own = bareObject();
  for (const [name, value] of Object.entries(given)) {
    const entry = entries[name];
    const isData = entry instanceof Option && isModel(entry.schema);
    if (isData) own[name] = ownOptions({}, value);
    else own[name] = entry === undefined || entry instanceof Option ? value : ownOptions(entry, value);
  }
  return own;
}

export function complete<T>(table: T, given: unknown): CompleteOptions<T> {
  const own = asOwnRecord(given);
  const entries = Object.entries(table as OptionTable).map(([name, entry]) => [
    name,
    entry instanceof Option ? (own[name] ?? entry.standard) : complete(entry, own[name]),
  ]);
  return Object.fromEntries(entries) as CompleteOptions<T>;
}
