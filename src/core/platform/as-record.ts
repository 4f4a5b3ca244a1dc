import { hasOwn } from './portable.js';

const EMPTY: object = Object.freeze(Object.create(null));

/**
 * An object that inherits nothing, since a library may add to `Object.prototype`. An object whose own prototype is null
 * is slower.
 */
export const bareObject = (): Record<string, unknown> => Object.create(EMPTY);

/** Whether it is an object with named members, as JSON has them: no list, and not null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empty for a value that is not an object. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : bareObject();

/** Undefined for a value that is not an object. */
export const underSymbol = (value: unknown, symbol: symbol): unknown =>
  (asRecord(value) as Readonly<Record<symbol, unknown>>)[symbol];

/** A copy of the object's own members, each read once. It leaves out what a library added to `Object.prototype`. */
export const asOwnRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.assign(bareObject(), asRecord(value));

/** The same for options with a type. */
export const ownOptions = <T extends object>(options: T): T => Object.assign(bareObject(), options);

/**
 * A member of an object, its own or its class's. A property that a library put on the prototype of all objects is left
 * out.
 */
export function memberOf<T extends object, Name extends keyof T>(value: T, name: Name): T[Name] | undefined {
  if (!(name in Object.prototype)) return value[name];
  for (let at: object | null = value; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    if (hasOwn(at, name)) return value[name];
  return undefined;
}

/** The part of `JSON.stringify`'s replacer that sorts members, and ignores the `toJSON` that Prototype.js gives lists. */
function inOrder(this: Readonly<Record<string, unknown>>, name: string, part: unknown): unknown {
  if (Array.isArray(this[name])) return this[name];
  if (!isRecord(part)) return part;
  return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Plain data as one text: the same for the same data, in any order of the members. */
export const canonical = (value: unknown): string => JSON.stringify(value, inOrder) ?? '';
