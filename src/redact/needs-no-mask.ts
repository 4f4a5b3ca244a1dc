import { fold, LONGEST_SHOWN } from './redact.js';
import { isShownWord } from './vocabulary.js';

/** A short sentence without numbers, names of fields and single letters, which could spell a word. */
const SENTENCE = /^[A-Za-z]{2,}(?: [A-Za-z]{2,}){0,20}[.!]?$/;
/** The names of the members in a JSON text. A quote inside a value is escaped, so no part of a value matches. */
const NAMES = /"\w+":/g;

/**
 * Whether `maskSent` leaves a text unchanged: each of its words is known, and occurs in no sent value. Most answers are of
 * this kind, and to read the values of a report out of its JSON would cost more than the check of the report. A letter that
 * another writer of JSON has escaped would not be recognised, so a body with such escapes is read.
 */
export function needsNoMask(said: string, json: string, secrets: Iterable<string>): boolean {
  if (said.length > LONGEST_SHOWN || !SENTENCE.test(said) || json.includes('\\u')) return false;
  const sent = fold(`${json.replace(NAMES, ' ')} ${[...secrets].join(' ')}`);
  return (said.toLowerCase().match(/[a-z]+/g) ?? []).every((word) => isShownWord(word) && !sent.includes(word));
}
