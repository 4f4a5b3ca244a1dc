import type { SentValue } from '../schema/sent-values.js';
import { MASK, maskSent } from './redact.js';
import { createSentSearch } from './repeats-sent.js';
import { isShownWord } from './vocabulary.js';

/** An answer with more than this is not shown at all. */
const MOST_MEMBERS = 200;
const LONGEST = 8_192;
const DEEPEST = 10;
const TOO_LONG = '[an answer too long to show]';

/** A name such as `statusCode` tells nothing, whatever was sent. */
const isKnown = (name: string): boolean => name.split(/[-_.]|(?<=[a-z])(?=[A-Z])/).every((word) => isShownWord(word.toLowerCase()));

/**
 * A copy of the gateway's JSON, fit to be shown: each text, number and name in which a value stands that was sent is masked. Of a text that repeats one only known
 * words stay, as of a message; any other text stays as it is.
 */
export function maskDetails(body: unknown, values: readonly SentValue[], identifiers: readonly string[]): unknown {
  const repeatsSent = createSentSearch(values);
  let members = 0;
  let length = 0;

  function masked(value: unknown, depth: number): unknown {
    members += 1;
    if (members > MOST_MEMBERS || length > LONGEST) return undefined;
    if (typeof value === 'string') {
      length += value.length;
      return length <= LONGEST && repeatsSent(value) ? maskSent(value, values, identifiers) : value;
    }
    if (typeof value === 'number') return repeatsSent(String(value)) ? MASK : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return MASK;
    if (Array.isArray(value)) return value.map((inner) => masked(inner, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [nameOf(name), masked(inner, depth + 1)]));
  }

  function nameOf(name: string): string {
    length += name.length;
    return length <= LONGEST && (isKnown(name) || !repeatsSent(name)) ? name : MASK;
  }

  const copy = masked(body, 0);
  return members > MOST_MEMBERS || length > LONGEST ? TOO_LONG : copy;
}
