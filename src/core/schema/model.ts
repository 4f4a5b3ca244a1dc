import * as z from 'zod/v4/core';
import { bareObject } from '../platform/as-record.js';
import { anything, type Field, object } from './fields.js';
import type { Path } from './issue.js';

/** `'strict'`: every field that the specification lists is required. `'partial'`: only the identifiers are. */
export type ValidationMode = 'strict' | 'partial';

type Fields = Record<string, Field | Model>;

/** One object of the specification. */
export interface Model<Given = unknown> {
  readonly strict: Field<Given>;
  readonly partial: Field;
  readonly fields: Fields;
  /** The fields that even strict mode does not require. */
  readonly optional: readonly string[];
}

type GivenOf<One> = One extends Model<infer Given> | Field<infer Given> ? Given : never;
type Members<R extends Fields, O extends Fields> = { [K in keyof R]: GivenOf<R[K]> } & {
  [K in keyof O]?: GivenOf<O[K]> | undefined;
};
type Flat<T> = { [K in keyof T]: T[K] };

export const isModel = (field: Field | Model): field is Model => 'fields' in field;

const isAlwaysRequired = (field: Field | Model): boolean =>
  isModel(field) ? Object.values(field.fields).some(isAlwaysRequired) : field.always === true;

function modelOf<Given>(
  fields: Fields,
  optional: readonly string[],
  isRequired: (name: string, mode: ValidationMode) => boolean,
): Model<Given> {
  const shape = (mode: ValidationMode) => () =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const schema = (isModel(field) ? field[mode] : field).schema();
        return [name, isRequired(name, mode) ? schema : new z.$ZodOptional({ type: 'optional', innerType: schema })];
      }),
    );
  return {
    strict: object(shape('strict'), () => new z.$ZodNever({ type: 'never' })),
    partial: object(shape('partial'), anything.schema),
    fields,
    optional,
  };
}

/** In partial mode an inner object is required only if it contains an identifier itself. */
export function model<R extends Fields, O extends Fields>(required: R, optional: O) {
  const names = Object.keys(optional);
  // It inherits nothing, so that a caller's key never matches an inherited member.
  const fields: Record<string, Field | Model> = Object.assign(bareObject(), required, optional);
  return modelOf<Flat<Members<R, O>>>(fields, names, (name, mode) => {
    const field = fields[name];
    return mode === 'strict' ? !names.includes(name) : field !== undefined && isAlwaysRequired(field);
  });
}

export function fieldAt(from: Model, path: Path): Field | Model | undefined {
  let field: Field | Model | undefined = from;
  for (const key of path) {
    if (!field || !isModel(field)) return field;
    field = field.fields[String(key)];
  }
  return field;
}

/**
 * The same object with most fields optional: all but one field, and all fields within it. Fields that are present must
 * be valid.
 */
export const incomplete = ({ fields, optional }: Model, required?: string): Model =>
  modelOf(
    Object.assign(
      bareObject(),
      Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, isModel(field) ? incomplete(field) : field]),
      ),
    ),
    optional,
    (name) => name === required,
  );

/** The type of a field: a text that names a moment is `'time'`. */
export type LeafKind = 'text' | 'number' | 'flag' | 'time';

export interface Leaf {
  readonly path: string;
  readonly kind: LeafKind;
  /** Whether a report must have it. */
  readonly required: Readonly<Record<ValidationMode, boolean>>;
  /** Whether it accepts members of any name, for example `metadata.odds`. */
  readonly anyMembers: boolean;
}

const KINDS: Readonly<Record<string, LeafKind>> = { number: 'number', boolean: 'flag' };

export function leavesOf(model: Model, under = '', isNeeded = true): Leaf[] {
  return Object.entries(model.fields).flatMap(([name, field]): Leaf[] => {
    const path = `${under}${name}`;
    const needed = isNeeded && !model.optional.includes(name);
    if (isModel(field)) return leavesOf(field, `${path}.`, needed);
    const kind = name === 'timestamp' ? 'time' : (KINDS[field.type ?? ''] ?? 'text');
    const required = { strict: needed, partial: field.always === true };
    return [{ path, kind, required, anyMembers: field.schema()._zod.def.type === 'object' }];
  });
}
