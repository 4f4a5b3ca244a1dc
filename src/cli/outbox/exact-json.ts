import { exactNumber } from '../../core/schema/decimals.js';
import { scanJson } from '../../core/web/read-json.js';

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** A number of at most this many characters is exact, unless it is so small that it becomes 0. */
const ALWAYS_EXACT = 15;
/** The smallest number that keeps all its digits. */
const SMALLEST = 2 ** -1022;

const isRounded = (token: string): boolean =>
  token.length > ALWAYS_EXACT
    ? exactNumber(token) === undefined
    : Math.abs(Number(token)) < SMALLEST && /[1-9]/.test(token.replace(/e.*/i, ''));

/** The part of a valid JSON text that `JSON.parse` would lose, in words. Undefined if there is none. */
export function parseLossOf(text: string): string | undefined {
  // JSON.parse keeps the last value silently.
  const codes = scanJson(text).map(({ code }) => code);
  if (codes.includes('conflict')) return 'contains the name of a member twice';
  if (codes.includes('not-json')) return 'is nested deeper than any report';
  return text.match(TOKENS)?.some((token) => token[0] !== '"' && isRounded(token))
    ? 'contains a number with too many digits: JavaScript would round it'
    : undefined;
}
