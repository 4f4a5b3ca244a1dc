import { traitsOf } from './fields.js';
import { isModel, type Model, type ValidationMode } from './model.js';

/** The type of a field: a text that names a moment is `'time'`. */
export type LeafKind = 'text' | 'number' | 'flag' | 'time';

/** A field without inner fields, by its path: `user.nin`. */
export interface Leaf {
  readonly path: string;
  readonly kind: LeafKind;
  /** Whether a report must have it. */
  readonly required: Readonly<Record<ValidationMode, boolean>>;
  /** Whether it accepts members of any name, for example `metadata.odds`. */
  readonly free: boolean;
}

const KINDS: Readonly<Record<string, LeafKind>> = { number: 'number', boolean: 'flag' };

/** All fields of a model, including those of its objects. */
export function leavesOf(model: Model, under = '', isNeeded = true): Leaf[] {
  return Object.entries(model.fields).flatMap(([name, field]): Leaf[] => {
    const path = `${under}${name}`;
    const needed = isNeeded && !model.optional.includes(name);
    if (isModel(field)) return leavesOf(field, `${path}.`, needed);
    const { type } = field._zod.def;
    const required = { strict: needed, partial: traitsOf(field).always === true };
    return [{ path, kind: name === 'timestamp' ? 'time' : (KINDS[type] ?? 'text'), required, free: type === 'object' }];
  });
}
