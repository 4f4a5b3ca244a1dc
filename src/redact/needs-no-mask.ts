import { fold, LONGEST_SHOWN } from './redact.js';
import { isShownWord } from './vocabulary.js';

/** A short sentence without numbers, names of fields and single letters, which could spell a word. */
const SENTENCE = /^[A-Za-z]{2,}(?: [A-Za-z]{2,}){0,20}[.!]?$/;
/** More sentences of known words than a gateway has. */
const MOST_KEPT = 100;

/** By sentence of known words: finds one of its words in a folded JSON text, but not within the name of a member. */
const wordsOutsideNames = new Map<string, RegExp>();

/**
 * Whether `maskSent` leaves a text unchanged: each of its words is known, and occurs in no sent value. Most answers are of
 * this kind, and to read the values of a report out of its JSON would cost more than the check of the report. A value that
 * is written with escapes would not be recognised, so a body with one is read.
 */
export function needsNoMask(said: string, json: string, secrets: Iterable<string>): boolean {
  const words = wordsOutsideNames.get(said) ?? wordsOf(said);
  // A quote inside a secret is escaped, so none of its words passes for the name of a member.
  return words !== undefined && !json.includes('\\') && !words.test(fold(json + JSON.stringify([...secrets])));
}

function wordsOf(said: string): RegExp | undefined {
  if (said.length > LONGEST_SHOWN || !SENTENCE.test(said)) return undefined;
  const words = said.toLowerCase().match(/[a-z]+/g) ?? [];
  if (!words.every(isShownWord)) return undefined;
  const found = new RegExp(`(${words.join('|')})(?!\\w*":)`);
  if (wordsOutsideNames.size < MOST_KEPT) wordsOutsideNames.set(said, found);
  return found;
}
