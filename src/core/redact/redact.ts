import { cut, MASK } from '../platform/messages.js';
import { lastOf, numbered } from '../platform/portable.js';
import type { SentValue } from '../schema/sent.js';
import { fieldPathIn, isRuleWord, isShownWord, PHRASES } from './vocabulary.js';

/** A key is recognised by any piece of this length. */
export const KEY_PIECE = 6;

/** False for a key shorter than a piece. Both must have the same case. */
export function holdsPiece(text: string, key: string): boolean {
  for (let start = 0; start + KEY_PIECE <= key.length; start += 1)
    if (text.includes(key.slice(start, start + KEY_PIECE))) return true;
  return false;
}

/** Longer texts are not masked but left out. */
const LONGEST_TEXT = 4_096;
const LONGEST_SHOWN = 300;

/** A piece of a text without spaces: its opening marks, its content, its closing marks. */
const PIECE = /^((?:["'`([{]{0,2})(?:[<>]=?|#?\/|\$\.)?)(.*?)(["'`)\]},.;:!?…]{0,4})$/;
const SIGN = /^(?:[-–—&/+=|:,.]|[<>]=?)$/;
/** The characters between the words of a name or a path, after `splitName`. */
const BETWEEN = /\[?["']?\]?[-./:,_]|\[["']?/;
const PLURAL = /\(s$/;
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
  /** The field that the last words name. */
  readonly path?: string | undefined;
  shown: boolean;
}

/** Printable ASCII. Folding the case is enough for it. */
const ASCII = /^[\x20-\x7e]*$/;

const withoutMarks = (text: string): string =>
  ASCII.test(text) ? text : text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');

export const fold = (text: string): string => withoutMarks(text).toLowerCase();

/** Puts a line between the words of a name such as `statusCode`. */
const splitName = (text: string): string => text.replace(/([a-z])(?=[A-Z])/g, '$1_');

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

function pieceOf(text: string, identifiers: readonly string[]): Piece {
  const [, opens = '', core = text, closes = ''] = PIECE.exec(text) ?? [];
  if (identifiers.includes(core)) return { opens, core, closes, words: [], shown: true };
  if (SIGN.test(text)) return { opens: '', core: text, closes: '', words: [], shown: true };
  const name = core.replace(PLURAL, '');
  const words = (isShownWord(name.toLowerCase()) ? [name] : splitName(name).split(BETWEEN)).map((word) =>
    word.toLowerCase(),
  );
  // A part of a single letter could spell a word.
  return {
    opens,
    core,
    closes,
    words,
    path: /[-,]/.test(core) ? undefined : fieldPathIn(words),
    shown: words.every((word) => isShownWord(word) && (word.length > 1 || words.length === 1)),
  };
}

interface Folded extends SentValue {
  readonly folded: string;
}

/**
 * Makes the one rule for texts of the gateway or relay. Only known words (`vocabulary.ts`) and the report's identifiers
 * are kept. All else is masked, so that no spelling of a value passes. Known words that were sent are masked too: words
 * of personal values wherever they occur, all others where the whole value occurs. Three things stay readable beside a
 * personal value with the same letters, since they are not a value there: the path of a field, "must be", and a word of
 * rules that is only a part of a longer value.
 */
function createMask(values: readonly SentValue[], identifiers: readonly string[]): (said: string) => string {
  const sent = values.map((value) => ({ ...value, folded: fold(value.text) }));
  const all = sent.map(({ folded }) => folded).join(' ');
  const numbers: Numbers = {};
  return (said) => {
    if (said.length > LONGEST_TEXT) return '[a text too long to show]';
    const free = identifiers.filter((identifier) => said.includes(identifier) && isFree(identifier, sent));
    const pieces = said
      .split(/\s+/)
      .filter((text) => text !== '')
      .map((text) => pieceOf(text, free));
    if (/[0-9]/.test(said)) showNumbers(pieces, numbers);
    if (pieces.some(({ shown }) => !shown)) showPhrases(pieces);
    // Most answers contain no sent word, and nothing needs to be hidden.
    if (pieces.some((piece) => piece.words.some((word) => all.includes(word)))) hideSent(pieces, sent);
    hideLetters(pieces);
    return write(pieces);
  };
}

export const maskSent = (said: string, values: readonly SentValue[], identifiers: readonly string[] = []): string =>
  createMask(values, identifiers)(said);

/** An identifier is shown unchanged, unless it repeats a masked value, or is short enough to be a part of any word. */
function isFree(identifier: string, values: readonly Folded[]): boolean {
  const text = fold(identifier);
  return (
    /^[^\p{C}\p{Z}]{3,100}$/u.test(identifier) &&
    !values.some(({ folded, kind }) => kind !== 'plain' && folded.length > 2 && text.includes(folded))
  );
}

/** The numbers that an answer shows: one of each kind, since several could spell a longer number. */
interface Numbers {
  status?: string;
  small?: string;
}

/**
 * Shows an HTTP status beside the word for it, and a small number before its unit. Any other number could be personal.
 */
function showNumbers(pieces: readonly Piece[], numbers: Numbers): void {
  for (const [index, piece] of numbered(pieces)) {
    const before = lastOf(pieces[index - 1]?.words ?? []) ?? '';
    const after = pieces[index + 1]?.words[0] ?? '';
    const isStatus =
      STATUS.test(piece.core) &&
      (index === 0 || STATUS_BEFORE.test(before)) &&
      !/^[0-9]/.test(pieces[index + 1]?.core ?? '');
    const isSmall =
      SMALL.test(piece.core) &&
      piece.closes === '' &&
      UNITS.test(after) &&
      !/[0-9]/.test(pieces[index - 1]?.core ?? '');
    if (!isStatus && !isSmall) continue;
    const kind = isStatus ? 'status' : 'small';
    numbers[kind] ??= piece.core;
    if (numbers[kind] === piece.core) piece.shown = true;
  }
}

/** Shows words that are known only together. */
function showPhrases(pieces: readonly Piece[]): void {
  const words = wordsOfPieces(pieces);
  const together = new Set<Word>();
  for (const phrase of PHRASES)
    for (const [start] of numbered(words)) {
      const own = words.slice(start, start + phrase.length);
      if (phrase.every((word, index) => own[index]?.word === word)) for (const one of own) together.add(one);
    }
  for (const { piece } of together)
    piece.shown ||= words.every((one) => one.piece !== piece || together.has(one) || isShownWord(one.word));
}

interface Word {
  readonly word: string;
  readonly piece: Piece;
}

const wordsOfPieces = (pieces: readonly Piece[]): Word[] =>
  pieces.flatMap((piece) => piece.words.map((word) => ({ word, piece })));

const isOfRules = (word: string): boolean => isRuleWord(word) || PHRASES.some((phrase) => phrase.includes(word));

function hideSent(pieces: readonly Piece[], values: readonly Folded[]): void {
  const words = wordsOfPieces(pieces);
  // The words of a field's path are not a value, unless the path itself was sent.
  const isSent = pathsIn(values);
  const open = pieces.flatMap((piece) => {
    const { words: own, path } = piece;
    const shut = path === undefined || isSent(path) ? 0 : path.split('_').length;
    return own.slice(0, own.length - shut).map((word) => ({ word, piece }));
  });
  // A name may be written in parts: `first-name` is also `firstname`.
  const parts = pieces.flatMap((piece) => (piece.words.length > 1 ? [{ word: piece.words.join(''), piece }] : []));
  const personal = [...open, ...parts].filter(({ word }) => word.length > 1);
  const secret = words.filter(({ word }) => word.length >= KEY_PIECE);
  const verbs = verbsIn(pieces);
  for (const value of values) {
    const { text: sent, folded: text, kind } = value;
    if (kind === 'secret') hideWhole(words, wordsIn(text));
    if (kind === 'plain') hideWhole(/[^\p{L}\p{N}]/u.test(text) ? open : outsideNames(open), wordsIn(text));
    if (kind === 'secret') for (const { word, piece } of secret) if (text.includes(word)) piece.shown = false;
    if (kind !== 'personal') continue;
    const found = personal.filter(({ word }) => text.includes(word));
    if (found.length === 0) continue;
    const split = wordsIn(fold(splitName(sent)));
    const known = new Set([...wordsIn(text), ...split]);
    const isPart =
      value.composed && text.length <= LONGEST_SHOWN && split.some((word) => !isShownWord(word) && !isOfRules(word));
    const doubtful = new Set<Piece>();
    for (const { word, piece } of found)
      if (known.has(word)) {
        if (isPart && isOfRules(word)) doubtful.add(piece);
        else if (!verbs.has(piece)) piece.shown = false;
      }
    if (doubtful.size > 0) hideWithin(pieces, doubtful, split);
  }
  for (const [piece, rest] of verbs) if (rest.some(({ shown }) => !shown)) piece.shown = false;
}

/** In any spelling. A first and a last name may spell a path together. */
function pathsIn(values: readonly Folded[]): (path: string) => boolean {
  const named = values.filter(({ kind }) => kind !== 'secret');
  const texts = [named.map(({ folded }) => folded), named.map(({ text }) => fold(splitName(text)))].map(
    (all) => `_${wordsIn(all.join(' ')).join('_')}_`,
  );
  return (path) => texts.some((text) => [path, path.split('_').join('')].some((name) => text.includes(`_${name}_`)));
}

/**
 * "must be" and the like are not a value, also of a person with that name: "must" or "should" in lower case, and the pieces
 * after it.
 */
function verbsIn(pieces: readonly Piece[]): ReadonlyMap<Piece, readonly Piece[]> {
  const found = new Map<Piece, readonly Piece[]>();
  for (const [index, piece] of numbered(pieces)) {
    if (!/^(?:must|should)$/.test(piece.core)) continue;
    const rest = pieces.slice(index + 1, pieces[index + 1]?.words[0] === 'not' ? index + 3 : index + 2);
    const plain = [piece, ...rest].every(({ opens, closes }) => opens + closes === '');
    if (plain && /^(?:be|have|contain|match)$/i.test(lastOf(rest)?.core ?? '')) found.set(piece, rest);
  }
  return found;
}

/** Without the names of fields in words, such as "win amount". A value of several words is not a part of one. */
const outsideNames = (words: readonly Word[]): readonly Word[] => {
  const named = new Set(
    words.flatMap((one, index) => {
      const next = words[index + 1];
      const isTogether = next && (one.piece === next.piece || one.piece.closes + next.piece.opens === '');
      return isTogether && fieldPathIn([one.word, next.word]) ? [one, next] : [];
    }),
  );
  return words.filter((word) => !named.has(word));
};

/** Hides the words of rules in a piece of a value: beside another word of the value, in the order of the value. */
function hideWithin(pieces: readonly Piece[], doubtful: ReadonlySet<Piece>, value: readonly string[]): void {
  const words = pieces.flatMap((piece) => wordsIn(fold(splitName(piece.core))).map((word) => ({ word, piece })));
  for (const [start, { word }] of numbered(words)) {
    if (isOfRules(word)) continue;
    for (let at = value.indexOf(word); at >= 0; at = value.indexOf(word, at + 1))
      for (const step of [1, -1])
        for (let far = step; words[start + far]?.word === value[at + far]; far += step) {
          const piece = words[start + far]?.piece;
          if (!piece) break;
          if (doubtful.has(piece)) piece.shown = false;
        }
  }
}

function hideWhole(words: readonly Word[], value: readonly string[]): void {
  for (let start = 0; start + value.length <= words.length; start += 1) {
    if (value.every((word, index) => words[start + index]?.word === word))
      for (const { piece } of words.slice(start, start + value.length)) piece.shown = false;
  }
}

/** A single letter beside a masked piece may belong to it. Alone, it may be one of a list. */
function hideLetters(pieces: readonly Piece[]): void {
  const isWord = (piece: Piece | undefined) => piece === undefined || (piece.shown && piece.core.length > 1);
  for (const [index, piece] of numbered(pieces)) {
    if (piece.core.length === 1 && (pieces.length === 1 || !(isWord(pieces[index - 1]) && isWord(pieces[index + 1]))))
      piece.shown = false;
  }
}

function write(pieces: readonly Piece[]): string {
  let line = '';
  let wasMasked = false;
  for (const { opens, core, closes, shown } of pieces) {
    if (shown || !wasMasked) line += `${line && ' '}${shown ? opens + core + closes : MASK}`;
    wasMasked = !shown;
  }
  return cut(line, LONGEST_SHOWN);
}

/** A longer answer is not shown at all. */
const MOST_MEMBERS = 200;
const LONGEST = 8_192;
const DEEPEST = 10;
const TOO_LONG = '[an answer too long to show]';

/** Whether the name of a member consists of known words, such as `statusCode`. Single letters could spell a value. */
const isKnown = (name: string): boolean =>
  splitName(name.replace(/^#?\//, ''))
    .split(BETWEEN)
    .every((word) => word.length > 1 && isShownWord(word.toLowerCase()));

function isTooLong(body: unknown): boolean {
  let [members, length] = [1, 0];
  for (let level = [body], depth = 0; depth <= DEEPEST; depth += 1) {
    const inner: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') length += value.length;
      if (typeof value !== 'object' || value === null) continue;
      // The names of a list's members are its numbers: to make a million of them takes seconds.
      const names = Array.isArray(value) ? undefined : Object.keys(value);
      members += names ? names.length : (value as unknown[]).length;
      if (members > MOST_MEMBERS) return true;
      length += names?.join('').length ?? 0;
      inner.push(...Object.values(value));
    }
    level = inner;
  }
  return length > LONGEST;
}

/**
 * A copy of the gateway's JSON that may be shown, by the rule for its message: known words are kept, and all else is
 * masked. A number is kept if it is a status beside a name such as `statusCode`.
 */
export function maskDetails(body: unknown, values: readonly SentValue[], identifiers: readonly string[]): unknown {
  if (isTooLong(body)) return TOO_LONG;
  const mask = createMask(values, identifiers);

  function masked(value: unknown, depth: number, name?: string): unknown {
    if (depth > DEEPEST) return MASK;
    if (typeof value === 'string' && /\p{L}|^\s*$/u.test(value)) return mask(value);
    if (typeof value === 'string' || typeof value === 'number')
      return name !== undefined && mask(`${name} ${value}`).endsWith(` ${value}`) ? value : MASK;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => masked(inner, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        isKnown(key) && mask(key) === key ? key : MASK,
        masked(inner, depth + 1, key),
      ]),
    );
  }

  return masked(body, 0);
}

/** A short sentence without numbers, names of fields and single letters, which could spell a word. */
const SENTENCE = /^[A-Za-z]{2,}(?: [A-Za-z]{2,}){0,20}[.!]?$/;
/**
 * A value with one of these could pass for the name of a member: an escape, or the wide quote, which folding turns into
 * a quote.
 */
const isUnclear = (text: string): boolean => text.includes('\\') || text.includes('\uff02');
/** More sentences of known words than a gateway has. */
const MOST_KEPT = 100;

/** By sentence of known words: finds one of its words in a JSON text, in any case, but not within the name of a member. */
const wordsOutsideNames = new Map<string, RegExp>();

/**
 * Whether `maskSent` leaves a text unchanged: each of its words is known, and occurs in no sent value. Most answers are
 * of this kind, and to read the values of a report out of its JSON would cost more than the check of the report.
 */
export function needsNoMask(said: string, json: string, secrets: Iterable<string>): boolean {
  const words = wordsOutsideNames.get(said) ?? wordsOf(said);
  if (!words) return false;
  const holdsNone = (sent: string) => !isUnclear(sent) && !words.test(withoutMarks(sent));
  // A secret with a quote could pass for the name of a member, too.
  return holdsNone(json) && [...secrets].every((one) => !one.includes('"') && holdsNone(one));
}

function wordsOf(said: string): RegExp | undefined {
  if (said.length > LONGEST_SHOWN || !SENTENCE.test(said)) return undefined;
  const words = said.toLowerCase().match(/[a-z]+/g) ?? [];
  if (!words.every(isShownWord)) return undefined;
  const found = new RegExp(`(${words.join('|')})(?!\\w*":)`, 'i');
  if (wordsOutsideNames.size < MOST_KEPT) wordsOutsideNames.set(said, found);
  return found;
}
