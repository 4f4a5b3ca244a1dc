import type { Sent } from '../schema/sent-words.js';

/** What a sentence about this report calls it. */
const NOUNS = new Set(['report', 'event', 'bet', 'withdrawal', 'transaction', 'request', 'data']);
/** What was done with it before. */
const DONE = new Set(['reported', 'recorded', 'submitted', 'settled', 'processed']);
/** The other words of a sentence that says so. Any further word makes it a sentence about something else. */
const FILLERS = new Set(
  'a an the this that your it its is was has have been already duplicate duplicated with of for under by you and same id identifier reference before earlier previously successfully different other held'.split(
    ' ',
  ),
);
/** What another part of that sentence may say: that the report was turned away for it. */
const REFUSALS = new Set('accepted be cannot conflict could error failed invalid not refused rejected'.split(' '));

/** Stands for one of the report's identifiers. */
const REFERENCE = '\uE001';
/** Stands for a word that was sent: what it says is the operator's word, not the gateway's. */
const SENT = '\uE000';

const fold = (text: string): string => text.normalize('NFKD').replace(/[\p{M}\p{Cf}\uE000\uE001]/gu, '');
/** Splits names such as `betId` into words. */
const split = (text: string): string => text.replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, '$1 ');
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+|[\uE000\uE001]/gu) ?? [];
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A pattern that matches whole words alone. */
const whole = (pattern: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'giu');

/** A text in which an identifier stands as one sign. One without a digit could be any word, and counts as any other value. */
const withReferences = (text: string, { identifiers }: Sent): string =>
  identifiers
    .map(fold)
    .filter((identifier) => identifier.trim())
    .reduce((now, identifier) => now.replace(whole(literally(identifier)), ` ${/\p{N}/u.test(identifier) ? REFERENCE : SENT} `), fold(text));

/** In words, by the parts between its commas and colons. */
type Sentence = readonly (readonly string[])[];

/** The sentences of a text, without what was sent. */
function sentencesOf(text: string, { identifiers, keys, values }: Sent): Sentence[] {
  const named = keys
    .map((key) =>
      wordsOf(split(fold(key)))
        .map(literally)
        .join('[^\\p{L}\\p{N}]*'),
    )
    .filter((pattern) => pattern)
    .reduce((now, pattern) => now.replace(whole(pattern), ` ${SENT} `), text);
  const sent = new Set(values.flatMap((value) => [...wordsOf(fold(value)), ...wordsOf(split(fold(value)))]));
  // The two words by which a duplicate is known are the gateway's only where nothing that was sent holds them, in any spelling.
  const all = [...identifiers, ...keys, ...values].map((value) => wordsOf(fold(value)).join('')).join(' ');
  const isSent = (word: string) => sent.has(word) || (/^(?:already|duplicated?)$/.test(word) && all.includes(word.replace(/d$/, '')));
  const partOf = (part: string) => wordsOf(split(part)).map((word) => (isSent(word) ? SENT : word));
  return named
    .split(/[.;!?]+(?:\s|$)|\n/)
    .filter((sentence) => wordsOf(sentence).length > 0)
    .map((sentence) => sentence.split(/[,:]/).map(partOf));
}

const isSubject = (word: string): boolean => NOUNS.has(word) || word === REFERENCE;
const isKnown = (word: string): boolean => isSubject(word) || DONE.has(word) || FILLERS.has(word);

/** Whether a sentence says of this report that it was reported before, and speaks of nothing else. */
const saysRepeated = (sentence: Sentence, isAlone: boolean): boolean =>
  sentence.flat().every((word) => isKnown(word) || REFUSALS.has(word)) && sentence.some((part) => isStatement(part, sentence.flat().some(isSubject), isAlone));

/** `namesReport`: the sentence does; `isAlone`: there is no other sentence whose subject it could be about. */
function isStatement(words: readonly string[], namesReport: boolean, isAlone: boolean): boolean {
  if (!words.every(isKnown)) return false;
  if (namesReport && words.some((word) => word.startsWith('duplicate'))) return true;
  const at = words.indexOf('already');
  const done = words[words[at + 1] === 'been' ? at + 2 : at + 1];
  return at >= 0 && DONE.has(done ?? '') && (isAlone || namesReport);
}

const saysDifferent = (words: readonly string[]): boolean =>
  words.some((word, index) => word === 'different' || (word === 'other' && words[index + 1] === 'data'));

/** What a refusal says of the report: nothing, that it was reported before, or that other data was. */
export interface Repeated {
  readonly repeated: boolean;
  /** Undefined where only a word that was sent says so. */
  readonly different: boolean | undefined;
}

/** Reads the gateway's words. What only sounds like a duplicate, or could be the operator's own words, says nothing. */
export function readRepeated(message: string, sent: Sent): Repeated {
  const text = withReferences(message, sent);
  const sentences = sentencesOf(text, sent);
  const different = sentences.some((sentence) => saysDifferent(sentence.flat()));
  return {
    repeated: sentences.some((sentence) => saysRepeated(sentence, sentences.length === 1)),
    different: different === saysDifferent(wordsOf(text)) ? different : undefined,
  };
}
