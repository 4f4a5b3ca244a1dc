import type { Field } from './fields.js';

export type Holds = (value: unknown) => boolean;

const checks = new WeakMap<Field, Holds>();

/**
 * Gives a field the check that is made first: of plain data it holds for exactly the values that the field's schema accepts and
 * leaves as they are.
 */
export function quick<T extends Field>(field: T, holds: Holds): T {
  checks.set(field, holds);
  return field;
}

/** The check of a field; undefined where only its schema knows. */
export const quickCheckOf = (field: Field): Holds | undefined => checks.get(field);
