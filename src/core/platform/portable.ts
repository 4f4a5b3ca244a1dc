/**
 * Replacements for functions of the platform that an old browser lacks, or that another script of the page may have
 * changed: Prototype.js replaces `Array.from`, `entries` and `reduce` of arrays, and `Promise` may be a library's.
 * @module
 */

/** `Object.hasOwn`. */
export function hasOwn(value: object, name: PropertyKey): boolean {
  const { hasOwnProperty: has } = Object.prototype;
  return has.call(value, name);
}

/** The last one of a list: `list.at(-1)`. */
export const lastOf = <T>(list: readonly T[]): T | undefined => list[list.length - 1];

/** The members of a list with their index: `list.entries()`. */
export const numbered = <T>(list: readonly T[]): (readonly [index: number, one: T])[] =>
  list.map((one, index) => [index, one] as const);

/** The part of `JSON.stringify`'s replacer that ignores each `toJSON`: Prototype.js gives arrays one. */
function asItIs(this: Readonly<Record<string, unknown>>, key: string): unknown {
  return this[key];
}

/** The JSON of plain data: no `toJSON` is called. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, 'toJSON' in [] ? asItIs : undefined);

/** `Promise.allSettled`. */
export const allSettled = <T>(promises: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> =>
  Promise.all(
    promises.map((promise) =>
      promise.then(
        (value) => ({ status: 'fulfilled' as const, value }),
        (reason: unknown) => ({ status: 'rejected' as const, reason }),
      ),
    ),
  );
