/** Any object as a record; an empty one for a value that is not an object. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : Object.create(null);

/** A copy of the object's own members, each read once: the copy leaves out what a library added to `Object.prototype`. */
export const asOwnRecord = (value: unknown): Readonly<Record<string, unknown>> => Object.assign(Object.create(null), asRecord(value));
