import type { SentValue } from './schema/sent-values.js';
import { unescapeText } from './unescape.js';

export const MASK = '[masked]';

/** Stands for a mask while there is still something to find, so that nothing is found within one. */
const HIDDEN = '\uE000';

/** Longer texts are not worth masking, and are not shown at all. */
const LONGEST_TEXT = 4_096;
const LONGEST_SHOWN = 300;

/** A key is recognised by any piece of this length. */
const KEY_PIECE = 6;

/** Numbers that could be somebody's: five digits or more, also when grouped, and decimals such as coordinates. */
const TELLING_NUMBERS = /[0-9](?:[\s./_-]?[0-9]){4,}|[0-9]+\.[0-9]{2,}/g;
const WORDS = /[\p{L}\p{N}]+/gu;

/** Printable ASCII: its case is all that is folded. */
const ASCII = /^[\x20-\x7e]*$/;
/** The same without what begins an escape. */
const READS_AS_IT_STANDS = /^[\x20-\x24\x27-\x5b\x5d-\x7e]*$/;

/** A text as it is compared: without case, marks, widths and invisible characters; and where each character came from. */
interface Folded {
  text: string;
  /** The start of each character in the original, and the end of the last one. */
  at: number[];
}

function fold(original: string): Folded {
  let text = '';
  const at: number[] = [];
  let offset = 0;
  for (const character of original) {
    const plain = character
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}]/gu, '')
      .toLowerCase();
    text += plain;
    for (let index = 0; index < plain.length; index += 1) at.push(offset);
    offset += character.length;
  }
  return { text, at: [...at, offset] };
}

const foldText = (value: string) => (ASCII.test(value) ? value.toLowerCase() : fold(value).text).trim();

const foldedValue = (value: string) => foldText(unescapeText(value));

const pieceOf = (key: string, start: number) => key.slice(start, start + KEY_PIECE);

/**
 * Whether a text holds nothing that could have to be masked, so that it is shown as it is: what a gateway says of nearly every
 * report. Where it is in doubt the long way decides.
 */
function isHarmless(said: string, values: readonly SentValue[]): boolean {
  if (!READS_AS_IT_STANDS.test(said) || said.search(TELLING_NUMBERS) >= 0) return false;
  const text = said.toLowerCase();
  const words = text.match(WORDS)?.filter((word) => word.length > 1) ?? [];
  return !values.some(({ text: value, kind }) => {
    const plain = foldText(value);
    const spelling = READS_AS_IT_STANDS.test(value) ? plain : foldedValue(value);
    if ((plain && text.includes(plain)) || (spelling && text.includes(spelling))) return true;
    if (kind === 'secret') {
      for (let start = 0; start + KEY_PIECE <= plain.length; start += 1) if (text.includes(pieceOf(plain, start))) return true;
      for (let start = 0; spelling !== plain && start + KEY_PIECE <= spelling.length; start += 1) if (text.includes(pieceOf(spelling, start))) return true;
    }
    return kind === 'personal' && words.some((word) => spelling.includes(word) && spelling.match(WORDS)?.includes(word));
  });
}

const isWordCharacter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** Marks the characters of a folded text that stay hidden. */
class Hidden {
  readonly #hidden: boolean[];

  constructor(readonly text: string) {
    this.#hidden = new Array<boolean>(text.length).fill(false);
  }

  range(start: number, end: number): void {
    this.#hidden.fill(true, start, end);
  }

  /** Wherever a value stands; a short or plain one only where it is a word of its own. */
  value(value: string, whole: boolean): void {
    for (let start = value ? this.text.indexOf(value) : -1; start >= 0; start = this.text.indexOf(value, start + 1)) {
      const end = start + value.length;
      if (whole && (isWordCharacter(this.text[start - 1]) || isWordCharacter(this.text[end]))) continue;
      this.range(start, end);
    }
  }

  matches(pattern: RegExp, isHidden: (match: string) => boolean = () => true): void {
    for (const match of this.text.matchAll(pattern)) if (isHidden(match[0])) this.range(match.index, match.index + match[0].length);
  }

  has(index: number): boolean {
    return this.#hidden[index] === true;
  }
}

/**
 * A text of the gateway's, fit to be shown: its escapes resolved, every sent value masked (personal ones also word
 * by word, keys also in pieces), numbers that could be somebody's masked, control characters removed, cut to length.
 * What is to be masked is found first and replaced once, so the cost depends on the text and on no value's length.
 */
export function maskSent(said: string, values: readonly SentValue[]): string {
  if (said.length > LONGEST_TEXT) return '[a text too long to show]';
  if (isHarmless(said, values)) return cut(said.trim());
  const words = new Set<string>();
  const sent: { value: string; whole: boolean }[] = [];
  for (const { text: value, kind } of values) {
    // What is longer than the text cannot stand in it, but its words can.
    const spellings = value.length <= 4 * said.length ? [foldText(value), foldedValue(value)] : [];
    for (const spelling of spellings) {
      sent.push({ value: spelling, whole: kind === 'plain' || spelling.length < 3 });
      for (let start = 0; kind === 'secret' && start + KEY_PIECE <= spelling.length; start += 1) {
        sent.push({ value: pieceOf(spelling, start), whole: false });
      }
    }
    if (kind === 'personal') for (const [word] of foldedValue(value).matchAll(WORDS)) if (word.length > 1) words.add(word);
  }
  const hide = (original: string, parts: boolean): string => {
    const { text, at } = fold(original);
    const hidden = new Hidden(text);
    for (const { value, whole } of sent) hidden.value(value, whole);
    if (parts) {
      hidden.matches(WORDS, (word) => words.has(word));
      hidden.matches(TELLING_NUMBERS);
    }
    return rebuild(original, at, hidden);
  };
  // First whole values as it came, since a value may itself hold what looks like an escape.
  const line = hide(unescapeText(hide(said.replaceAll(HIDDEN, ' '), false)), true)
    .split(HIDDEN)
    .map((part) => part.replace(/[\p{C}\u2028\u2029]+/gu, ' '))
    .join(MASK)
    .trim();
  return cut(line);
}

const cut = (line: string) => (line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line);

/** The original with one mask for each stretch that is hidden. */
function rebuild(original: string, at: readonly number[], hidden: Hidden): string {
  let shown = '';
  for (let index = 0; index < hidden.text.length; index += 1) {
    // Some characters fold into several, and marks into none.
    if (!hidden.has(index)) shown += at[index - 1] === at[index] ? '' : original.slice(at[index], nextOffset(at, index));
    else if (!hidden.has(index - 1)) shown += HIDDEN;
  }
  return shown;
}

/** Where the next character of the original begins. */
function nextOffset(at: readonly number[], index: number): number | undefined {
  let next = index + 1;
  while (at[next] === at[index]) next += 1;
  return at[next];
}
