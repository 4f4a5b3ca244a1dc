import type { SentValue } from './schema/sent-values.js';
import { unescapeText } from './unescape.js';

export const MASK = '[masked]';

/** Longer texts are not worth masking, and are not shown at all. */
const LONGEST_TEXT = 65_536;
const LONGEST_SHOWN = 300;

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const BOUNDARY = '[^\\p{L}\\p{N}]';

/** Replaces a value; `whole` leaves it alone where it is part of a longer word. */
function mask(text: string, value: string, whole: boolean): string {
  const pattern = escapePattern(value);
  return whole ? text.replace(new RegExp(`(^|${BOUNDARY})${pattern}(?=$|${BOUNDARY})`, 'giu'), `$1${MASK}`) : text.replace(new RegExp(pattern, 'giu'), MASK);
}

/** How a value may stand in a text: as it is, trimmed, and behind whatever it holds that looks like an escape. */
function spellings(value: string): string[] {
  const spelt = [value.normalize('NFC'), unescapeText(value)];
  return [...new Set([...spelt, ...spelt.map((one) => one.trim())])].filter(Boolean);
}

const wordsOf = (value: string) => value.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word.length > 2);

interface Masked {
  value: string;
  /** Left alone where it is part of a longer word. */
  whole: boolean;
}

/** Replaces values, the longest first, so that no part of one stays. */
const maskAll = (text: string, values: readonly Masked[]) =>
  values
    .filter(({ value }) => value.length <= text.length)
    .sort((a, b) => b.value.length - a.value.length)
    .reduce((shown, { value, whole }) => mask(shown, value, whole), text);

/**
 * A text of the gateway's, fit to be shown: its escapes resolved, every sent value masked (personal ones also word
 * by word), anything that looks like a NIN masked, control characters removed, cut to length.
 */
export function maskSent(text: string, values: readonly SentValue[]): string {
  if (text.length > LONGEST_TEXT) return '[a text too long to show]';
  const sent: Masked[] = values.flatMap(({ text: value, kind }) =>
    kind === 'plain' ? { value, whole: true } : spellings(value).map((spelt) => ({ value: spelt, whole: spelt.length < 3 })),
  );
  const words: Masked[] = values
    .filter(({ kind }) => kind === 'personal')
    .flatMap(({ text: value }) => spellings(value).flatMap(wordsOf))
    .map((value) => ({ value, whole: true }));
  // First as it came, since a value may itself hold what looks like an escape.
  const unescaped = unescapeText(maskAll(text.normalize('NFC'), sent));
  const masked = maskAll(unescaped, [...sent, ...words]).replace(/[0-9]{11,}/g, MASK);
  const line = masked.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
