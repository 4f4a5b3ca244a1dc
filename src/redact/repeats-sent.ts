import type { SentValue } from '../schema/sent-values.js';
import { fold, KEY_PIECE, wordsIn } from './redact.js';

/** A value of this length is recognised within a longer word, too. */
const LONG = 4;
/** What URLs, JSON and HTML make of a text, and what is longer than any word and any id: a value in it would not be recognised. */
const ENCODED = /%[\da-f]{2}|\\|&#?\w+;|[\w+/-]{65}/i;

/** Whether the words of a value stand in a text, one after the other. */
const standsIn = (words: readonly string[], value: readonly string[]): boolean =>
  value.length > 0 && words.some((_, start) => value.every((word, index) => words[start + index] === word));

/** Makes a search for values that were sent, in any spelling. It would rather find one that is not there than miss one that is. */
export function createSentSearch(values: readonly SentValue[]): (said: string) => boolean {
  const sought = values.map(({ text, kind }) => ({ kind, text: fold(text), words: wordsIn(fold(text)) }));
  return (said) => {
    const text = fold(said);
    const words = wordsIn(text);
    const all = words.join('');
    const holdsPiece = (key: string) =>
      Array.from(key, (_, at) => key.slice(at, at + KEY_PIECE)).some((piece) => piece.length === KEY_PIECE && text.includes(piece));
    const holdsWord = (word: string) => word.length > 1 && (words.includes(word) || (word.length >= LONG && all.includes(word)));
    return (
      ENCODED.test(said) ||
      sought.some(
        (value) =>
          standsIn(words, value.words) ||
          (value.kind === 'secret' && holdsPiece(value.text)) ||
          (value.kind === 'personal' && [value.words.join(''), ...value.words].some(holdsWord)),
      )
    );
  };
}
