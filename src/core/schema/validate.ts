import * as z from 'zod/v4/core';
import { asRecord, memberOf } from '../platform/as-record.js';
import { numbered } from '../platform/portable.js';
import { unlessThrown } from '../platform/unless-thrown.js';
import { issue, type Path, printableKey, type ValidationIssue } from './issue.js';
import { fieldAt, isModel, type Model, type ValidationMode } from './model.js';

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The number of single-letter edits between two words. */
function distance(from: string, to: string): number {
  let row = [0, ...numbered(to.split('')).map(([index]) => index + 1)];
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Whether the letters of a short name stand in a longer one in their order, as those of `lng` do in `longitude`. */
function isShortFor(short: string, name: string): boolean {
  if (short.length < 3 || short[0] !== name[0]) return false;
  let found = 0;
  for (const letter of name) if (letter === short[found]) found += 1;
  return found === short.length;
}

/**
 * The known name nearest to a misspelt one, if at most a third of its letters differ; or the only one it abbreviates.
 */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name).slice(0, 64);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = distance(wanted, plain(candidate));
    if (edits < least && edits * 3 <= Math.max(wanted.length, candidate.length)) {
      best = candidate;
      least = edits;
    }
  }
  const longer = known.filter((candidate) => isShortFor(wanted, plain(candidate)));
  return best ?? (longer.length === 1 ? longer[0] : undefined);
}

class Refusal {
  constructor(readonly issues: readonly z.$ZodIssue[]) {}
}

/** zod's own error has a stack and a message with all issues. Both take time and code, and neither is shown. */
const safeParse = /* @__PURE__ */ z._safeParse(Refusal as unknown as Parameters<typeof z._safeParse>[0]);

type Validated =
  | { value: Record<string, unknown>; issues: readonly [] }
  | { value: undefined; issues: ValidationIssue[] };

/**
 * Lists every problem in one pass. `at` is the path of the value. `alsoKnown` are names beside the model's, for
 * suggestions.
 */
export function validate(
  model: Model,
  mode: ValidationMode,
  value: unknown,
  at: Path = [],
  alsoKnown: readonly string[] = [],
): Validated {
  const result = safeParse(model[mode].schema(), value);
  if (result.success) return { value: result.data as Record<string, unknown>, issues: [] };
  const namesAt = (path: Path) => {
    const field = fieldAt(model, path);
    return [...(field && isModel(field) ? Object.keys(field.fields) : []), ...(path.length === 0 ? alsoKnown : [])];
  };
  return { value: undefined, issues: result.error.issues.flatMap((found) => translate(found, value, at, namesAt)) };
}

function translate(
  found: z.$ZodIssue,
  root: unknown,
  at: Path,
  namesAt: (path: Path) => readonly string[],
): ValidationIssue[] {
  const path = [...at, ...found.path];
  if (found.code === 'unrecognized_keys') {
    // Never suggests a field that is already present: two amounts are not one.
    const given = valueAt(root, found.path) as object;
    const names = namesAt(found.path).filter((name) => !(name in given));
    return found.keys.map((key) => issue([...path, key], 'unknown-field', unknownField(key, names)));
  }
  const value = valueAt(root, found.path);
  if (value === undefined) return [issue(path, 'missing', `is required: expected ${found.message}`)];
  const wrongType = found.code === 'invalid_type';
  const got =
    !wrongType && typeof value === 'number'
      ? 'another number'
      : (unlessThrown(() => describe(value)) ?? 'a proxy that cannot be read');
  return [issue(path, wrongType ? 'wrong-type' : 'invalid', `expected ${found.message}, got ${got}`)];
}

function unknownField(key: string, names: readonly string[]): string {
  const nearest = suggest(key, names);
  return `unknown field ${printableKey(key)}; ${nearest ? `did you mean ${nearest}?` : 'remove it'}`;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}

/** Does not show the value. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string')
    return value.trim() === '' ? 'an empty or blank string' : `a string of length ${value.length}`;
  if (typeof value === 'object')
    return typeof memberOf(asRecord(value), 'then') === 'function' ? 'a promise; write await before it' : 'an object';
  return typeof value === 'number' ? 'a number' : `a ${typeof value}`;
}

const MOST_LISTED = 20;

export function listIssues(issues: readonly ValidationIssue[]): string {
  const lines = issues
    .slice(0, MOST_LISTED)
    .map(({ path, message }) => `\n  - ${path || 'payload or options'}: ${message}`);
  const more = issues.length - lines.length;
  return `${issues.length === 1 ? '1 problem' : `${issues.length} problems`}:${lines.join('')}${more > 0 ? `\n  - and ${more} more, in issues` : ''}`;
}
