import { copyJson } from './copy-json.js';
import type { ValidationIssue } from './issue.js';
import { isModel, type Model, type ValidationMode } from './model.js';
import { type Holds, quickCheckOf } from './quick.js';

/** A field of a model: its check, or the fields within it. */
interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  /** None where only the schema knows. */
  readonly holds: Holds | undefined;
  readonly within: readonly Member[] | undefined;
}

const membersOfModels = new WeakMap<Model, readonly Member[]>();

function membersOf(model: Model): readonly Member[] {
  const known = membersOfModels.get(model);
  if (known) return known;
  const members = Object.entries(model.fields).map(([name, field]) => {
    const isOptional = model.optional.includes(name);
    return isModel(field)
      ? { name, isOptional, holds: undefined, within: membersOf(field) }
      : { name, isOptional, holds: quickCheckOf(field), within: undefined };
  });
  membersOfModels.set(model, members);
  return members;
}

type Values = Record<string, unknown>;
type Accepted = { value: Values; issues: [] };

/**
 * What the strict schema of a model makes of a copy that is right in everything, several times as fast as the schema does;
 * undefined where it may be wrong, so that the schema must say. It may read the copy twice, so it is for plain data only.
 * `test/schema/accept.test.ts` compares the two.
 */
export function accept(model: Model, mode: ValidationMode, copy: unknown): Accepted | undefined {
  const value = mode === 'strict' ? take(membersOf(model), copy) : undefined;
  return value && { value, issues: [] };
}

function take(members: readonly Member[], given: unknown): Values | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const taken: Values = {};
  let unknown = 0;
  for (const _ in given) unknown += 1;
  for (const { name, isOptional, holds, within } of members) {
    const value = (given as Values)[name];
    if (value === undefined) {
      if (isOptional && !(name in given)) continue;
      return undefined;
    }
    if (within) {
      const inner = take(within, value);
      if (!inner) return undefined;
      taken[name] = inner;
    } else {
      if (!holds?.(value)) return undefined;
      taken[name] = value;
    }
    unknown -= 1;
  }
  return unknown === 0 ? taken : undefined;
}

/** What `copyJson` makes of a value; `accepted` where the copy was found right while it was made. */
interface Copied {
  readonly value: unknown;
  readonly issues: ValidationIssue[];
  readonly accepted?: Accepted;
}

/**
 * As `copyJson`, and where every field is right, copy and verdict come of one pass. Where one may not be, or needs more than this,
 * `copyJson` goes on with what was read, so that nothing is read twice unless reading it throws.
 */
export function copyAndAccept(input: unknown, model: Model, mode: ValidationMode): Copied {
  if (mode !== 'strict') return copyJson(input);
  let given: Read = { read: input, isRight: false };
  try {
    given = readObject(membersOf(model), input);
  } catch {
    // `copyJson` says it.
  }
  if (!given.isRight) return copyJson(given.read);
  const accepted: Accepted = { value: given.read as Values, issues: [] };
  return { value: accepted.value, issues: accepted.issues, accepted };
}

/** The same as `accept`, of what `copyAndAccept` gave. */
export const acceptCopied = (model: Model, mode: ValidationMode, copied: Copied): Accepted | undefined => copied.accepted ?? accept(model, mode, copied.value);

type Read = { readonly read: unknown; readonly isRight: boolean };

function readObject(members: readonly Member[], given: unknown): Read {
  if (typeof given !== 'object' || Object.prototype.toString.call(given) !== '[object Object]' || Array.isArray(given)) return { read: given, isRight: false };
  // Reads each property once, and is the copy itself where they stand in the order of the model.
  const values: Values = { ...given };
  if (Object.getOwnPropertySymbols(values).length > 0) return { read: values, isRight: false };
  let next = 0;
  for (const name in values) {
    const member = members[next];
    if (member?.name !== name) return putInOrder(members, values);
    const value = values[name];
    if (member.within) {
      const inner = readObject(member.within, value);
      values[name] = inner.read;
      if (!inner.isRight) return { read: values, isRight: false };
    } else if (typeof value === 'object' || !member.holds?.(value)) return { read: values, isRight: false };
    next += 1;
  }
  while (members[next]?.isOptional) next += 1;
  return { read: values, isRight: next === members.length };
}

/** The same where they stand in another order, or are other ones. */
function putInOrder(members: readonly Member[], values: Values): Read {
  const ordered: Values = {};
  let unknown = 0;
  for (const _ in values) unknown += 1;
  for (const { name, isOptional, holds, within } of members) {
    if (!Object.hasOwn(values, name)) {
      if (isOptional) continue;
      return { read: values, isRight: false };
    }
    const value = values[name];
    if (within) {
      const inner = readObject(within, value);
      values[name] = inner.read;
      if (!inner.isRight) return { read: values, isRight: false };
      ordered[name] = inner.read;
    } else {
      if (typeof value === 'object' || !holds?.(value)) return { read: values, isRight: false };
      ordered[name] = value;
    }
    unknown -= 1;
  }
  return unknown === 0 ? { read: ordered, isRight: true } : { read: values, isRight: false };
}
