import { fold, LONGEST_SHOWN } from './redact.js';
import { isShownWord } from './vocabulary.js';

/** A short sentence without numbers, names of fields and single letters, which could spell a word. */
const SENTENCE = /^[A-Za-z]{2,}(?: [A-Za-z]{2,}){0,20}[.!]?$/;
/** A value with one of these could pass for the name of a member: an escape, or the wide quote, which folding turns into a quote. */
const UNCLEAR = /[\\\uff02]/;
/** More sentences of known words than a gateway has. */
const MOST_KEPT = 100;

/** By sentence of known words: finds one of its words in a folded JSON text, but not within the name of a member. */
const wordsOutsideNames = new Map<string, RegExp>();

/**
 * Whether `maskSent` leaves a text unchanged: each of its words is known, and occurs in no sent value. Most answers are of
 * this kind, and to read the values of a report out of its JSON would cost more than the check of the report.
 */
export function needsNoMask(said: string, json: string, secrets: Iterable<string>): boolean {
  const words = wordsOutsideNames.get(said) ?? wordsOf(said);
  const sent = json + JSON.stringify([...secrets]);
  return words !== undefined && !UNCLEAR.test(sent) && !words.test(fold(sent));
}

function wordsOf(said: string): RegExp | undefined {
  if (said.length > LONGEST_SHOWN || !SENTENCE.test(said)) return undefined;
  const words = said.toLowerCase().match(/[a-z]+/g) ?? [];
  if (!words.every(isShownWord)) return undefined;
  const found = new RegExp(`(${words.join('|')})(?!\\w*":)`);
  if (wordsOutsideNames.size < MOST_KEPT) wordsOutsideNames.set(said, found);
  return found;
}
