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

/**
 * A text of the gateway's, fit to be shown: its escapes resolved, every sent value masked (personal ones also word
 * by word), anything that looks like a NIN masked, control characters removed, cut to length.
 */
export function maskSent(text: string, values: readonly SentValue[]): string {
  if (text.length > LONGEST_TEXT) return '[a text too long to show]';
  const inOrder = values
    .flatMap(({ text: value, kind }) => {
      if (kind === 'plain') return [{ value, whole: true }];
      const spelt = spellings(value);
      const words = kind === 'personal' ? spelt.flatMap(wordsOf) : [];
      return [...spelt.map((one) => ({ value: one, whole: one.length < 3 })), ...words.map((word) => ({ value: word, whole: true }))];
    })
    .sort((a, b) => b.value.length - a.value.length);
  const maskAll = (from: string) => inOrder.reduce((shown, { value, whole }) => mask(shown, value, whole), from);
  // Once as it came and once without its escapes: a value may itself hold what looks like one.
  const masked = maskAll(unescapeText(maskAll(text.normalize('NFC')))).replace(/[0-9]{11,}/g, MASK);
  const line = masked.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
