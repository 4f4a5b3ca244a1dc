import type { SentValue } from '../schema/sent-values.js';
import { holdsPiece } from './holds-piece.js';
import { fold, splitName, wordsIn } from './redact.js';

/** A value of this length is also recognised within a longer word. */
const LONG = 4;
/** Escapes of URLs, JSON and HTML, and texts longer than any word or id: a value inside would not be recognised. */
const ENCODED = /%[\da-f]{2}|\\|&#?\w+;|[\w+/-]{65}/i;

/** Whether the words of a value occur in a text, one after the other. */
const standsIn = (words: readonly string[], value: readonly string[]): boolean =>
  value.length > 0 && words.some((_, start) => value.every((word, index) => words[start + index] === word));

/** Makes a search for sent values, in any spelling. It prefers a false match to a missed value. */
export function createSentSearch(values: readonly SentValue[]): (said: string) => boolean {
  const sought = values.map(({ text, kind }) => ({ kind, text: fold(text), words: wordsIn(fold(text)) }));
  return (said) => {
    const text = fold(said);
    const plain = wordsIn(text);
    const all = plain.join('');
    // A short name stands inside a longer word in `MrsAda`.
    const parts = splitName(said);
    const words = parts === said ? plain : [...plain, ...wordsIn(fold(parts))];
    const holdsWord = (word: string) => word.length > 1 && (words.includes(word) || (word.length >= LONG && all.includes(word)));
    return (
      ENCODED.test(said) ||
      sought.some(
        (value) =>
          standsIn(words, value.words) ||
          (value.kind === 'secret' && holdsPiece(text, value.text)) ||
          (value.kind === 'personal' && [value.words.join(''), ...value.words].some(holdsWord)),
      )
    );
  };
}
