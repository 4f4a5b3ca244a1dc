import * as z from 'zod/mini';
import { issue, printableKey, type ValidationIssue } from './issue.js';
import { fieldAt, isModel, type Model, type ValidationMode } from './model.js';
import { suggest } from './suggest.js';

type Path = readonly PropertyKey[];

export type Validated<T> = { value: T; issues: readonly [] } | { value: undefined; issues: ValidationIssue[] };

/**
 * Checks a value against a model and lists every problem in one pass. `at` is the path of the value. `alsoKnown` are
 * names beside the model's, for suggestions.
 */
export function validate(
  model: Model,
  mode: ValidationMode,
  value: unknown,
  at: Path = [],
  alsoKnown: readonly string[] = [],
): Validated<Record<string, unknown>> {
  const result = z.safeParse(model[mode], value);
  if (result.success) return { value: result.data as Record<string, unknown>, issues: [] };
  const namesAt = (path: Path) => {
    const field = fieldAt(model, path);
    return [...(field && isModel(field) ? Object.keys(field.fields) : []), ...(path.length === 0 ? alsoKnown : [])];
  };
  return { value: undefined, issues: result.error.issues.flatMap((found) => translate(found, value, at, namesAt)) };
}

function translate(found: z.core.$ZodIssue, root: unknown, at: Path, namesAt: (path: Path) => readonly string[]): ValidationIssue[] {
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
  const got = !wrongType && typeof value === 'number' ? 'another number' : describe(value);
  return [issue(path, wrongType ? 'wrong-type' : 'invalid', `expected ${found.message}, got ${got}`)];
}

/** The message for an unknown field or option. */
export function unknownField(key: string, names: readonly string[]): string {
  const nearest = suggest(key, names);
  return `unknown field ${printableKey(key)}; ${nearest ? `did you mean ${nearest}?` : 'remove it'}`;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], root);
}

/** The kind of a value, without the value. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  try {
    if (Array.isArray(value)) return 'an array';
  } catch {
    return 'a proxy that cannot be read';
  }
  if (typeof value === 'string') return value.trim() === '' ? 'an empty or blank string' : `a string of length ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' ? 'a number' : `a ${typeof value}`;
}

const MOST_LISTED = 20;

/** The issues as lines of a message. */
export function listIssues(issues: readonly ValidationIssue[]): string {
  const lines = issues.slice(0, MOST_LISTED).map(({ path, message }) => `\n  - ${path || 'payload or options'}: ${message}`);
  const more = issues.length - lines.length;
  return `${issues.length === 1 ? '1 problem' : `${issues.length} problems`}:${lines.join('')}${more > 0 ? `\n  - and ${more} more, in issues` : ''}`;
}
