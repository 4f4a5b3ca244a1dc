import type { SentValue } from '../schema/sent-values.js';
import { KEY_PIECE } from './holds-piece.js';
import { isShownWord } from './vocabulary.js';

export const MASK = '[masked]';

/** Longer texts are not masked but left out. */
const LONGEST_TEXT = 4_096;
export const LONGEST_SHOWN = 300;

/** A piece of a text without spaces: its opening marks, its content, its closing marks. */
const PIECE = /^(["'([{]{0,2})(.*?)(["')\]},.;:!?…]{0,3})$/;
const SIGN = /^[-–—&/+=|:,.]$/;
/** The characters between the words of a name or a path. */
const BETWEEN = /[-./:,_]|(?<=[a-z])(?=[A-Z])/;
const STATUS = /^[1-5][0-9][0-9]$/;
/** A number this short identifies no person beside its unit. */
const SMALL = /^[0-9]{1,2}$/;
const UNITS = /^(?:digits?|characters?|decimals?|seconds?|minutes?|hours?|days?|bytes?|requests?|attempts?)$/;
const STATUS_BEFORE = /^(?:http|status|code|error)$/;

interface Piece {
  readonly opens: string;
  readonly core: string;
  readonly closes: string;
  /** In lower case. */
  readonly words: readonly string[];
  shown: boolean;
}

/** Printable ASCII. Folding the case is enough for it. */
const ASCII = /^[\x20-\x7e]*$/;

export const fold = (text: string): string => (ASCII.test(text) ? text : text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '')).toLowerCase();

/** Splits names such as `betId` into words. */
export const splitName = (text: string): string => text.replace(/([a-z])(?=[A-Z])/g, '$1 ');

export const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

function pieceOf(text: string, identifiers: readonly string[]): Piece {
  const lower = text.toLowerCase();
  // Most words of an answer are known unchanged.
  if (isShownWord(lower) && !identifiers.includes(text)) return { opens: '', core: text, closes: '', words: [lower], shown: true };
  const [, opens = '', core = text, closes = ''] = PIECE.exec(text) ?? [];
  if (identifiers.includes(core)) return { opens, core, closes, words: [], shown: true };
  if (SIGN.test(text)) return { opens: '', core: text, closes: '', words: [], shown: true };
  const words = (isShownWord(core.toLowerCase()) ? [core] : core.split(BETWEEN)).map((word) => word.toLowerCase());
  // A part of a single letter could spell a word.
  return { opens, core, closes, words, shown: words.every((word) => isShownWord(word) && (word.length > 1 || words.length === 1)) };
}

/**
 * A text of the gateway or relay that may be shown. Only known words (`vocabulary.ts`) and the report's identifiers are
 * kept. All else is masked, so that no spelling of a value passes. Known words that were sent are masked too: words of
 * personal values wherever they occur, all others where the whole value occurs.
 */
export function maskSent(said: string, values: readonly SentValue[], identifiers: readonly string[] = []): string {
  if (said.length > LONGEST_TEXT) return '[a text too long to show]';
  const free = identifiers.filter((identifier) => said.includes(identifier) && isFree(fold(identifier), values));
  const pieces = said
    .split(/\s+/)
    .filter((text) => text !== '')
    .map((text) => pieceOf(text, free));
  if (/[0-9]/.test(said)) showNumbers(pieces);
  // Most answers contain no sent word, and nothing needs to be hidden.
  const all = fold(values.map(({ text }) => text).join(' '));
  if (pieces.some(({ words }) => words.some((word) => all.includes(word)))) hideSent(pieces, values);
  hideLetters(pieces);
  return write(pieces);
}

/** An identifier is shown unchanged, unless it repeats a masked value, or is short enough to be a part of any word. */
const isFree = (identifier: string, values: readonly SentValue[]): boolean =>
  /^[^\p{C}\p{Z}]{3,100}$/u.test(identifier) && !values.some(({ text, kind }) => kind !== 'plain' && fold(text).length > 2 && identifier.includes(fold(text)));

/**
 * Shows an HTTP status beside the word for it, and a small number before its unit, the first of each: several could spell a
 * longer number. Any other number could be personal.
 */
function showNumbers(pieces: readonly Piece[]): void {
  const shown = { status: false, small: false };
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1]?.words.at(-1) ?? '';
    const after = pieces[index + 1]?.words[0] ?? '';
    const isStatus = STATUS.test(piece.core) && (index === 0 || STATUS_BEFORE.test(before)) && !/^[0-9]/.test(pieces[index + 1]?.core ?? '');
    const isSmall = SMALL.test(piece.core) && piece.closes === '' && UNITS.test(after) && !/[0-9]/.test(pieces[index - 1]?.core ?? '');
    if ((isStatus && !shown.status) || (isSmall && !shown.small)) piece.shown = true;
    shown.status ||= isStatus;
    shown.small ||= isSmall;
  }
}

function hideSent(pieces: readonly Piece[], values: readonly SentValue[]): void {
  const words = pieces.flatMap((piece) => piece.words.map((word) => ({ word, piece })));
  // A name may be written in parts: `first-name` is also `firstname`.
  const parts = pieces.flatMap((piece) => (piece.words.length > 1 ? [{ word: piece.words.join(''), piece }] : []));
  const personal = [...words, ...parts].filter(({ word }) => word.length > 1);
  const secret = words.filter(({ word }) => word.length >= KEY_PIECE);
  for (const { text: value, kind } of values) {
    const text = fold(value);
    const wordsOf = () => wordsIn(`${text} ${fold(splitName(value))}`);
    if (kind !== 'personal') hideWhole(words, wordsIn(text));
    if (kind === 'personal') for (const { word, piece } of personal) if (text.includes(word) && wordsOf().includes(word)) piece.shown = false;
    if (kind === 'secret') for (const { word, piece } of secret) if (text.includes(word)) piece.shown = false;
  }
}

/** Hides the pieces in which a value occurs literally. */
function hideWhole(words: readonly { readonly word: string; readonly piece: Piece }[], value: readonly string[]): void {
  for (let start = value.length > 0 ? 0 : words.length; start + value.length <= words.length; start += 1) {
    if (value.every((word, index) => words[start + index]?.word === word))
      for (const { piece } of words.slice(start, start + value.length)) piece.shown = false;
  }
}

/** A single letter beside a masked piece may belong to it. */
function hideLetters(pieces: readonly Piece[]): void {
  const isWord = (piece: Piece | undefined) => piece === undefined || (piece.shown && piece.core.length > 1);
  for (const [index, piece] of pieces.entries()) {
    if (piece.core.length === 1 && !(isWord(pieces[index - 1]) && isWord(pieces[index + 1]))) piece.shown = false;
  }
}

/** One mask for each hidden stretch. */
function write(pieces: readonly Piece[]): string {
  let line = '';
  let wasMasked = false;
  for (const { opens, core, closes, shown } of pieces) {
    if (line.length > LONGEST_SHOWN) return `${line.slice(0, LONGEST_SHOWN)}…`;
    if (shown || !wasMasked) line += `${line && ' '}${shown ? opens + core + closes : MASK}`;
    wasMasked = !shown;
  }
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
