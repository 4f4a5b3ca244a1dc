import { escapePattern } from '../platform/escape-pattern.js';
import { isShownWord } from '../redact/vocabulary.js';
import type { Sent } from '../schema/sent.js';

/** The names of this report in a sentence. */
const NOUNS = new Set(['report', 'event', 'bet', 'withdrawal', 'transaction', 'request', 'data']);
const DONE: ReadonlySet<string> = new Set(['reported', 'recorded', 'submitted', 'settled', 'processed']);
/** At 409, "already exists" says the same of a report that the sentence names. */
const DONE_AT_409: ReadonlySet<string> = new Set([...DONE, 'exists']);
/** The other words of that sentence. Any further word makes it a sentence about another subject. */
const FILLERS = new Set(
  'a an the this that your it its is was has have been already duplicate duplicated with of for under by you and same id identifier reference before earlier previously successfully different other held'.split(
    ' ',
  ),
);
/**
 * The words that another part of the answer may contain: that the report was refused for this reason, or the name of a
 * status.
 */
const REFUSALS = new Set('accepted bad be cannot conflict content entity error not unprocessable'.split(' '));

/** Other data is recorded. "A different reference" is about another report. */
const OTHER_DATA =
  /\bdifferent\b(?! (?:reference|id|identifier|report|event|bet|withdrawal|transaction|request)\b)|\bother data\b/;
const UNDECIDED = /\b(?:in progress|being processed|try again)\b/;
const QUESTION = /\?(?:\s|$)/;
/** Each pattern means that this report may not be recorded as it was sent, even if the rest of the answer says so. */
const DENIALS = [
  UNDECIDED,
  /\bdiffer(?!ent\b)|\bmismatch|\bconflicting\b|\b(?:not|t) (?:the )?(?:same|equal|identical|match)/,
  /\b(?:another|other(?! data\b)|different) \S/,
  /\b(?:pending|processing|concurrent(?:ly)?|locked)\b/,
  // "Do not retry" denies nothing. Safari before 16.4 cannot look back.
  /(?:^|[^\w ] ?|\b(?!(?:not|t) )\w+ )retry\b/,
  // The content of the report is refused.
  /\b(?:could|fail(?:s|ed|ure)?|invalid|refused|rejected)\b/,
  // A server between is in trouble, or limits repeats whether they were recorded or not.
  /\b(?:busy|maintenance|unavailable|deadlock|lock|time(?:d )?out|throttled|limit(?:ed)?|too many|only one|per second|wait|later|slow down|still|being \S+ed|await(?:s|ing)?)\b/,
  // The gateway no longer holds the report.
  /\b(?:discarded|dropped|expired|reverted|roll(?:ed )?back|cancell?ed|deleted|removed|suspended)\b/,
  /\b(?:no|not|t|never) (?:an? )?duplicated?\b/,
  // "Cannot be processed" only says that this attempt was refused. A later "already" begins another statement.
  /\b(?:not|t|never|cannot(?! be processed)|nothing|unable|failed) (?:already )?(?:(?!already )\S+ ){0,4}(?:reported|record(?:ed)?|submit(?:ted)?|settled?|process(?:ed)?|stored?|saved?|kept|held)\b/,
];

/** Replaces one of the report's identifiers. */
const REFERENCE = '\uE001';
/** Replaces a word that was sent: it is the operator's word, not the gateway's. */
const SENT = '\uE000';
/** Replaces "withdrawal" in an answer to a bet and "bet" in one to a withdrawal: another report is meant. */
const OTHER_REPORT = '\uE002';

const fold = (text: string): string => text.normalize('NFKD').replace(/[\p{M}\p{Cf}\uE000\uE001]/gu, '');
/** Splits names such as `betId` into words. */
const split = (text: string): string => text.replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, '$1 ');
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+|[\uE000\uE001]/gu) ?? [];

/** Replaces all that a pattern without groups finds, whole words only. Safari before 16.4 cannot look back. */
const replaceWords = (text: string, pattern: string, by: string): string =>
  text.replace(new RegExp(`${pattern}(?![\\p{L}\\p{N}])`, 'giu'), (found: string, at: number) =>
    /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at)) ? found : by,
  );

/** A shorter word could be an abbreviation of the gateway. */
const SHORTEST_NAME = 3;

/**
 * Whether an identifier can only mean this report. One of common words, such as `user` or `final-bet`, may be the
 * gateway's words for another subject, so it is treated like any other value.
 */
const isUnmistakable = (identifier: string): boolean =>
  /\p{N}/u.test(identifier) ||
  (identifier.match(/\p{L}+/gu) ?? []).some(
    (word) =>
      word.length >= SHORTEST_NAME &&
      !isShownWord(word.toLowerCase()) &&
      !wordsOf(split(word)).every(isShownWord) &&
      !DENIALS.some((denial) => denial.test(word.toLowerCase())),
  );

/** The longest identifier first, since another may be a part of it. */
function withReferences(text: string, identifiers: readonly string[]): string {
  const named = identifiers.map(fold).filter((identifier) => wordsOf(identifier).length > 0);
  let now = fold(text);
  for (const identifier of named.sort((a, b) => b.length - a.length))
    now = replaceWords(now, escapePattern(identifier), ` ${isUnmistakable(identifier) ? REFERENCE : SENT} `);
  return now;
}

/** The words, grouped by the parts between commas and colons. */
type Sentence = readonly (readonly string[])[];

function sentencesOf(text: string, { identifiers, keys, values, otherNoun }: Sent): Sentence[] {
  let named = text;
  for (const key of keys) {
    const pattern = wordsOf(split(fold(key)))
      .map(escapePattern)
      .join('[^\\p{L}\\p{N}]*');
    if (pattern) named = replaceWords(named, pattern, ` ${SENT} `);
  }
  const sent = new Set(values.flatMap((value) => [...wordsOf(fold(value)), ...wordsOf(split(fold(value)))]));
  // The two words that mark a duplicate count as the gateway's only if no sent value contains them, in any spelling.
  const all = [...identifiers, ...keys, ...values].map((value) => wordsOf(fold(value)).join('')).join(' ');
  const isSent = (word: string) =>
    sent.has(word) || (/^(?:already|duplicated?)$/.test(word) && all.includes(word.replace(/d$/, '')));
  const read = (word: string) => (isSent(word) ? SENT : word === otherNoun ? OTHER_REPORT : word);
  return splitSentences(named)
    .filter((sentence) => wordsOf(sentence).length > 0)
    .map((sentence) => sentence.split(/[,:]/).map((part) => wordsOf(split(part)).map(read)));
}

const splitSentences = (text: string): string[] => text.split(/[.;!?]+(?:\s|$)|\n/);

const isSubject = (word: string): boolean => NOUNS.has(word) || word === REFERENCE;

/**
 * Whether a sentence says only that this report was reported before. `isAlone`: no other sentence names another
 * subject.
 */
function saysRepeated(sentence: Sentence, done: ReadonlySet<string>, isAlone: boolean): boolean {
  const words = sentence.flat();
  return (
    isPlain(words, done) &&
    sentence.some((part) => isStatement(part, done, { namesReport: words.some(isSubject), isAlone }))
  );
}

/** Whether a sentence speaks of nothing but the report and its refusal. */
const isPlain = (words: readonly string[], done: ReadonlySet<string>): boolean =>
  words.every((word) => isKnown(word, done) || REFUSALS.has(word));

const isKnown = (word: string, done: ReadonlySet<string>): boolean =>
  isSubject(word) || done.has(word) || FILLERS.has(word);

function isStatement(
  words: readonly string[],
  done: ReadonlySet<string>,
  { namesReport, isAlone }: { namesReport: boolean; isAlone: boolean },
): boolean {
  if (!words.every((word) => isKnown(word, done))) return false;
  const namesOnlyReport = namesReport && !words.some((_, index) => isBareId(words, index));
  if (namesOnlyReport && words.some((word) => word.startsWith('duplicate'))) return true;
  const at = words.indexOf('already');
  if (at < 0) return false;
  const verb = words[words[at + 1] === 'been' ? at + 2 : at + 1] ?? '';
  return DONE.has(verb) ? isAlone || namesReport : namesOnlyReport && done.has(verb);
}

/**
 * Whether a word is an "id" other than the report's own ("bet id", "bet with id B-1", "bet with this id"): then another
 * identifier may be the duplicate.
 */
const isBareId = (words: readonly string[], index: number): boolean => {
  const word = words[index] ?? '';
  const before = words[index - 1] ?? '';
  return (
    /^id(?:entifier)?$/.test(word) &&
    !NOUNS.has(before) &&
    !/^(?:this|same)$/.test(before) &&
    (before.startsWith('duplicate') || words[index + 1] !== REFERENCE)
  );
};

export interface Repeated {
  readonly repeated: boolean;
  /** Undefined if only a sent word says so, or if the gateway has not decided. */
  readonly different: boolean | undefined;
  /** Whether any part of the answer denies that the report is recorded as it was sent. */
  readonly denied: boolean;
}

interface Words {
  readonly status: number;
  readonly message: string;
  /**
   * All strings of the answer: a code such as `DUPLICATE_REPORT` counts as words, too. A member `recorded: false` is
   * the string "not recorded".
   */
  readonly strings: readonly string[];
}

/**
 * A text that only resembles a duplicate, or that could consist of the operator's own words, is ignored. A code does
 * not count if the message speaks of something else.
 */
export function readRepeated({ status, message, strings }: Words, sent: Sent): Repeated {
  const done = status === 409 ? DONE_AT_409 : DONE;
  const sentences = sentencesOf(withReferences(message, sent.identifiers), sent);
  const all = strings.join('\n');
  const allSentences = sentencesOf(withReferences(all, sent.identifiers), sent);
  const different = allSentences.some((sentence) => OTHER_DATA.test(sentence.flat().join(' ')));
  // A word of doubt also counts if it was sent: it may be the gateway's, and doubt is the safe result.
  const certain = sent.identifiers.filter((identifier) => isUnmistakable(fold(identifier)));
  const plain = splitSentences(withReferences(all, certain)).map((sentence) => wordsOf(split(sentence)).join(' '));
  const says = (pattern: RegExp) => plain.some((sentence) => pattern.test(sentence));
  return {
    repeated:
      sentences.some((sentence) => saysRepeated(sentence, done, sentences.length === 1)) ||
      (sentences.every((sentence) => isPlain(sentence.flat(), done)) &&
        allSentences.some((sentence) => saysRepeated(sentence, done, false))),
    different: different === says(OTHER_DATA) && !(different && says(UNDECIDED)) ? different : undefined,
    denied: QUESTION.test(all) || DENIALS.some(says),
  };
}
