import type { SentValue } from '../schema/sent-values.js';

/** A key is recognised by any piece of this length. */
const KEY_PIECE = 6;
/** A value of this length is recognised within a longer word, too. */
const LONG = 4;
/** How often a text may be encoded. */
const MOST_ROUNDS = 4;
/** No word and no id is longer; a body that was packed into letters is. */
const PACKED = /[\w+/-]{65}/;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();
const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');
const bytesOf = (run: string): Uint8Array => Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16));

/** The text with one layer of what URLs, JSON and HTML make of it taken off. */
const decode = (text: string): string =>
  text
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => new TextDecoder().decode(bytesOf(run)))
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\([nrtbf]|.)/g, (_, sign: string) => (/[nrtbf]/.test(sign) ? ' ' : sign))
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&#([0-9]{1,7});/g, (_, code: string) => character(Number(code)))
    .replace(/&(amp|lt|gt|quot|apos);/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);

/** A text as it is, and as it is read once it is decoded. */
function readingsOf(text: string): string[] {
  const readings = [text];
  for (let last = text; readings.length <= MOST_ROUNDS && /[%\\&]/.test(last); ) {
    const next = decode(last);
    if (next === last) break;
    readings.push(next);
    last = next;
  }
  return readings.map(fold);
}

interface Sought {
  readonly kind: SentValue['kind'];
  readonly text: string;
  readonly words: readonly string[];
  /** Without what stands between the words. */
  readonly whole: string;
}

/** Whether the words of a value stand in a text, one after the other. */
const standsIn = (words: readonly string[], value: readonly string[]): boolean =>
  value.length > 0 && words.some((_, start) => value.every((word, index) => words[start + index] === word));

function isIn({ kind, text, words: value, whole }: Sought, words: readonly string[], all: string, reading: string): boolean {
  if (standsIn(words, value)) return true;
  if (kind === 'secret')
    return Array.from({ length: Math.max(0, text.length - KEY_PIECE + 1) }, (_, at) => text.slice(at, at + KEY_PIECE)).some((piece) => reading.includes(piece));
  if (kind === 'plain') return false;
  if (whole.length >= LONG && all.includes(whole)) return true;
  return value.some((word) => word.length > 1 && (words.includes(word) || (word.length >= LONG && all.includes(word))));
}

/**
 * Makes a search for values that were sent, in any spelling and encoding that a gateway may repeat them in. It would rather find one that is
 * not there than miss one that is.
 */
export function createSentSearch(values: readonly SentValue[]): (said: string) => boolean {
  const sought = values.map(({ text: given, kind }): Sought => {
    const text = fold(given);
    const words = wordsIn(text);
    return { kind, text, words, whole: words.join('') };
  });
  return (said) =>
    PACKED.test(said) ||
    readingsOf(said).some((reading) => {
      const words = wordsIn(reading);
      const all = words.join('');
      return sought.some((value) => isIn(value, words, all, reading));
    });
}
