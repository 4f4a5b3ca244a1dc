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

/**
 * What the strict schema of a model makes of a copy that is right in everything, several times as fast as the schema does;
 * undefined where it may be wrong, so that the schema must say. It may read the copy twice, so it is for plain data only.
 * `test/schema/accept.test.ts` compares the two.
 */
export function accept(model: Model, mode: ValidationMode, copy: unknown): { value: Record<string, unknown>; issues: [] } | undefined {
  const value = mode === 'strict' ? take(membersOf(model), copy) : undefined;
  return value && { value, issues: [] };
}

function take(members: readonly Member[], given: unknown): Record<string, unknown> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const taken: Record<string, unknown> = {};
  let unknown = 0;
  for (const _ in given) unknown += 1;
  for (const { name, isOptional, holds, within } of members) {
    const value = (given as Record<string, unknown>)[name];
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
