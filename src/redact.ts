import type { SentValue } from './schema/sent-values.js';

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

/** How a value may look when somebody else repeats it: as it is, within JSON, a URL, HTML, or recomposed. */
function spellings(value: string): string[] {
  const spelt = [value, value.trim(), value.normalize('NFC'), value.normalize('NFD'), JSON.stringify(value).slice(1, -1)];
  spelt.push(value.replace(/&/g, '&amp;').replace(/'/g, '&#39;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'));
  try {
    spelt.push(encodeURIComponent(value));
  } catch {
    // A lone surrogate has no place in a URL, so nobody can have put it there.
  }
  return [...new Set(spelt)].filter(Boolean);
}

const wordsOf = (value: string) => value.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word.length > 2);

/**
 * A text of the gateway's, fit to be shown: every sent value masked (personal ones also word by word and in
 * other spellings), anything that looks like a NIN masked, control characters removed, cut to length.
 */
export function maskSent(text: string, values: readonly SentValue[]): string {
  if (text.length > LONGEST_TEXT) return '[a text too long to show]';
  const inOrder = values
    .flatMap(({ text: value, kind }) => [
      ...(kind === 'plain' ? [{ value, whole: true }] : spellings(value).map((spelling) => ({ value: spelling, whole: spelling.length < 3 }))),
      ...(kind === 'personal' ? wordsOf(value).map((word) => ({ value: word, whole: true })) : []),
    ])
    .filter(({ value }) => value.length <= text.length)
    .sort((a, b) => b.value.length - a.value.length);
  const masked = inOrder.reduce((shown, { value, whole }) => mask(shown, value, whole), text).replace(/[0-9]{11,}/g, MASK);
  const line = masked.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
