import type { SentValue } from '../schema/sent-values.js';
import { MASK, maskSent } from './redact.js';
import { createSentSearch } from './repeats-sent.js';
import { isShownWord } from './vocabulary.js';

/** A longer answer is not shown at all. */
const MOST_MEMBERS = 200;
const LONGEST = 8_192;
const DEEPEST = 10;
const TOO_LONG = '[an answer too long to show]';

/** Characters that no database stores (NUL, half of a character) and that control a terminal. */
const UNFIT = /(?![\t\n\r])[\p{Cc}\p{Cs}]/gu;
const fitted = (text: string): string => text.replace(UNFIT, '\ufffd');

/** A name such as `statusCode` reveals nothing, for any sent data. */
const isKnown = (name: string): boolean => name.split(/[-_.]|(?<=[a-z])(?=[A-Z])/).every((word) => isShownWord(word.toLowerCase()));

/** Whether the visible part of a body has too many members, or texts that are too long. */
function isTooLong(body: unknown): boolean {
  let [members, length] = [1, 0];
  for (let level = [body], depth = 0; level.length > 0 && depth <= DEEPEST; depth += 1) {
    const inner: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') length += value.length;
      if (typeof value !== 'object' || value === null) continue;
      const names = Object.keys(value);
      members += names.length;
      if (!Array.isArray(value)) length += names.join('').length;
      if (members > MOST_MEMBERS || length > LONGEST) return true;
      inner.push(...Object.values(value));
    }
    level = inner;
  }
  return length > LONGEST;
}

/**
 * A copy of the gateway's JSON that may be shown. Each text, number and name that contains a sent value is masked. A
 * text that repeats a sent value keeps only known words, like a message. Any other text is unchanged except for control
 * characters.
 */
export function maskDetails(body: unknown, values: readonly SentValue[], identifiers: readonly string[]): unknown {
  // Searched only if the answer is shown: a report may contain very many words.
  if (isTooLong(body)) return TOO_LONG;
  const repeatsSent = createSentSearch(values);

  function masked(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return repeatsSent(value) ? maskSent(value, values, identifiers) : fitted(value);
    if (typeof value === 'number') return repeatsSent(String(value)) ? MASK : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return MASK;
    if (Array.isArray(value)) return value.map((inner) => masked(inner, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [isKnown(name) || !repeatsSent(name) ? fitted(name) : MASK, masked(inner, depth + 1)]),
    );
  }

  return masked(body, 0);
}
