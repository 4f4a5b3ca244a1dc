import type { SentValue } from '../schema/sent-values.js';
import { createMask, MASK } from './redact.js';
import { isShownWord } from './vocabulary.js';

/** A longer answer is not shown at all. */
const MOST_MEMBERS = 200;
const LONGEST = 8_192;
const DEEPEST = 10;
const TOO_LONG = '[an answer too long to show]';

/** Whether the name of a member consists of known words, such as `statusCode`. Single letters could spell a value. */
const isKnown = (name: string): boolean => name.split(/[-_.]|(?<=[a-z])(?=[A-Z])/).every((word) => word.length > 1 && isShownWord(word.toLowerCase()));

/** Whether the visible part of a body has too many members, or texts that are too long. */
function isTooLong(body: unknown): boolean {
  let [members, length] = [1, 0];
  for (let level = [body], depth = 0; depth <= DEEPEST; depth += 1) {
    const inner: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') length += value.length;
      if (typeof value !== 'object' || value === null) continue;
      const names = Object.keys(value);
      members += names.length;
      if (!Array.isArray(value)) length += names.join('').length;
      if (members > MOST_MEMBERS) return true;
      inner.push(...Object.values(value));
    }
    level = inner;
  }
  return length > LONGEST;
}

/**
 * A copy of the gateway's JSON that may be shown, by the rule for its message: known words are kept, and all else is masked.
 * A number is kept if it is a status beside a name such as `statusCode`.
 */
export function maskDetails(body: unknown, values: readonly SentValue[], identifiers: readonly string[]): unknown {
  if (isTooLong(body)) return TOO_LONG;
  const mask = createMask(values, identifiers);

  function masked(value: unknown, depth: number, name?: string): unknown {
    if (depth > DEEPEST) return MASK;
    if (typeof value === 'string' && /\p{L}|^\s*$/u.test(value)) return mask(value);
    if (typeof value === 'string' || typeof value === 'number') return name !== undefined && mask(`${name} ${value}`).endsWith(` ${value}`) ? value : MASK;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => masked(inner, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [isKnown(key) && mask(key) === key ? key : MASK, masked(inner, depth + 1, key)]));
  }

  return masked(body, 0);
}
