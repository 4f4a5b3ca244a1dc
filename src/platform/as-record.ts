/** The members of an object, whatever it is; of what is no object, none. */
export const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : Object.create(null);

/** A copy of an object's own members, each read once: what some library put on the prototype of all objects is none of them. */
export const ownMembers = (value: unknown): Readonly<Record<string, unknown>> => Object.assign(Object.create(null), members(value));
