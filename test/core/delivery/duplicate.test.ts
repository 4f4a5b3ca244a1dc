import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRepeated } from '../../../src/core/delivery/duplicate.js';
import { isShownWord } from '../../../src/core/redact/vocabulary.js';
import { sampleSize } from '../../support/cases.js';

interface Given {
  readonly status?: number;
  readonly identifiers?: readonly string[];
  readonly keys?: readonly string[];
  readonly values?: readonly string[];
  readonly otherNoun?: 'bet' | 'withdrawal';
  /** The other texts of the answer. */
  readonly others?: readonly string[];
}

/** The reading of a refusal with this message. */
const read = (
  message: string,
  { status = 422, identifiers = ['B-1'], keys = [], values = [], otherNoun = 'withdrawal', others = [] }: Given = {},
) => readRepeated({ status, message, strings: [message, ...others] }, { identifiers, keys, values, otherNoun });

const says = (message: string, given?: Given) => read(message, given).repeated;

describe('a refusal says that the report was reported before', () => {
  it.each(['report', 'event', 'bet', 'transaction', 'request', 'data'])(
    'if it calls the %s a duplicate or already reported',
    (noun) => {
      for (const message of [`Duplicate ${noun}`, `The ${noun} is duplicated`, `${noun} already reported`])
        expect(says(message)).toBe(true);
    },
  );

  it.each([
    ['withdrawal', 'bet'],
    ['bet', 'withdrawal'],
  ] as const)('but not if an answer about a %s repeats the report of a %s', (noun, of) => {
    for (const message of [`${noun} already exists`, `This ${noun} was already reported`, `DUPLICATE_${noun}`])
      for (const otherNoun of [noun, of]) expect(says(message, { status: 409, otherNoun })).toBe(otherNoun === of);
  });

  it.each(['reported', 'recorded', 'submitted', 'settled', 'processed'])('if the report was already %s', (done) => {
    expect(says(`This bet has already been ${done}`)).toBe(true);
    expect(says(`B-1 was already ${done}`)).toBe(true);
    expect(says(`Already ${done}.`)).toBe(true);
    expect(says(`Already ${done}. The user is known.`)).toBe(false);
    // Without "already", it says nothing about an earlier report.
    expect(says(`The bet was ${done}`)).toBe(false);
    expect(says(`${done} bet`)).toBe(false);
  });

  it('with "exists" at 409 only, and only about this report', () => {
    expect(says('The bet already exists', { status: 409 })).toBe(true);
    expect(says('Report with id B-1 already exists', { status: 409 })).toBe(true);
    expect(says('The bet already exists')).toBe(false);
    expect(says('Already exists', { status: 409 })).toBe(false);
    expect(says('A bet with id already exists', { status: 409 })).toBe(false);
  });

  it('unless another identifier may be the duplicate', () => {
    for (const message of ['The bet has duplicated id B-1', 'Duplicate id B-1', 'Duplicate bet with identifier'])
      expect(says(message)).toBe(false);
  });

  it('unless a word of a refusal stands in the same part of the sentence', () => {
    expect(says('Bad duplicate request')).toBe(false);
    expect(says('Bad request: duplicate report')).toBe(true);
  });

  it('in a code or another text, if the message speaks of nothing else', () => {
    expect(says('Conflict', { others: ['DUPLICATE_REPORT'] })).toBe(true);
    for (const message of ['Slow down', 'Conflict. The wallet is busy.'])
      expect(says(message, { others: ['DUPLICATE_REPORT'] })).toBe(false);
    expect(says('Conflict', { others: ['ALREADY_PROCESSED'] })).toBe(false);
  });

  it('in a sentence of its own, which speaks of nothing else', () => {
    expect(says('This bet has already been reported. The user is known.')).toBe(true);
    for (const message of [
      'Duplicate report: user is known',
      'Duplicate report.user',
      'Already reported, said the user',
    ])
      expect(says(message)).toBe(false);
  });

  it('also with marks', () => {
    expect(says('D\u00faplicate report')).toBe(true);
  });
});

describe('the identifiers of the report are found in a refusal', () => {
  it.each<[string, string, string]>([
    ['in another case, and several times', 'B-1', 'Duplicate: b-1 (B-1)'],
    ['with characters of patterns', 'B.1(2)*', 'B.1(2)* was already recorded'],
    ['with marks', 'B\u00c9T-1', 'B\u00e9t-1 was already recorded'],
  ])('%s', (_, identifier, message) => {
    expect(says(message, { identifiers: [identifier] })).toBe(true);
  });

  it.each<[string, string, string]>([
    ['a part of another', 'B-1', 'B-12 was already recorded'],
    ['one of another spelling', 'B.1', 'Bx1 was already recorded'],
  ])('but not as %s', (_, identifier, message) => {
    expect(says(message, { identifiers: [identifier] })).toBe(false);
  });

  it('but one of common words could be the name of another subject', () => {
    for (const identifier of ['user', 'User', 'user-account', 'userAccount', 'the account', 'ip', 'xy', 'deadlock'])
      expect(says(`${identifier} already reported`, { identifiers: [identifier] })).toBe(false);
    expect(says('42 already reported', { identifiers: ['42'] })).toBe(true);
    expect(says('zzz already reported', { identifiers: ['zzz'] })).toBe(true);
  });

  it('and one that is a part of another one is not taken for it', () => {
    for (const identifiers of [
      ['kxqzrt', 'kxqzrt-W'],
      ['kxqzrt-W', 'kxqzrt'],
    ])
      expect(says('Bet kxqzrt-W already processed', { identifiers })).toBe(true);
    expect(says('Bet kxqzrt-W already processed', { identifiers: ['kxqzrt'] })).toBe(false);
  });

  it('and a blank one, or one of signs alone, changes nothing', () => {
    for (const identifier of [' ', '', '-', '\u2660'])
      expect(says('Duplicate report: - - \u2660 B-1', { identifiers: [identifier, 'B-1'] })).toBe(true);
  });
});

describe('a sent word is not the word of the gateway', () => {
  const message = 'This bet has already been reported';

  it.each<[string, Given]>([
    ['a value', { values: ['reported'] }],
    ['a value of several words', { values: ['was reported late'] }],
    ['a value without spaces', { values: ['lateReported'] }],
    ['a name', { keys: ['reported'] }],
    ['a name of several words', { keys: ['been_reported'] }],
    ['a name in another case', { keys: ['beenReported'] }],
    ['the sign of a duplicate in parts', { values: ['al-ready'] }],
    ['the sign of a duplicate in a longer word', { keys: ['isalreadythere'] }],
  ])('as %s', (_, given) => {
    expect(says(message, given)).toBe(false);
  });

  it.each<[string, Given]>([
    ['parts of it in two values', { values: ['al', 'ready'] }],
    ['other words', { values: ['Adaeze', '1500'], keys: ['amount', 'first_name'] }],
    ['a name without letters', { keys: ['---'] }],
  ])('but these do not matter: %s', (_, given) => {
    expect(says(message, given)).toBe(true);
    expect(says('Duplicate report: B-1.', given)).toBe(true);
  });

  it('in another form of "duplicate" either', () => {
    expect(says('Duplicated report', { values: ['duplicate'] })).toBe(false);
    expect(says('Duplicate report', { values: ['duplicates'] })).toBe(false);
  });

  it('nor is it left out of the sentence, which would then speak of the report', () => {
    expect(says('user already reported', { keys: ['user'] })).toBe(false);
    expect(says('user already reported', { values: ['user'] })).toBe(false);
  });
});

describe('other data', () => {
  const OTHER = 'This bet has already been reported with different data';

  it('is recorded if the gateway says so', () => {
    for (const message of [OTHER, 'Already submitted with other data', 'The data is different'])
      expect(read(message).different).toBe(true);
    expect(read(`${OTHER}. It was kept.`).different).toBe(true);
    expect(read('This bet has already been reported').different).toBe(false);
    for (const noun of ['reference', 'id', 'report', 'request'])
      expect(read(`Already reported under a different ${noun}`).different).toBe(false);
  });

  it('is uncertain if a word for it was sent, or if the gateway has not decided', () => {
    expect(read(OTHER, { values: ['different'] }).different).toBeUndefined();
    expect(read(OTHER, { identifiers: ['different'] }).different).toBeUndefined();
    for (const other of ['in progress', 'It is being processed', 'Please try again'])
      expect(read(OTHER, { others: [other] }).different).toBeUndefined();
  });
});

describe('a denial', () => {
  it.each([
    'The amount differs',
    'AMOUNT_MISMATCH',
    'Conflicting data',
    'The data is not equal',
    'The data is not the same',
    "The data doesn't match",
    'Used by another bet',
    'A concurrent request',
    'Sent concurrently',
    'Please retry',
    'Retry',
    'яretry',
    'The bet is locked',
    'The report is invalid',
    'It cannot record the report',
    'Nothing was recorded',
    'The report was not yet successfully recorded',
    'The report was not already recorded',
    'No: not one of the reports recorded',
    ...['record', 'submit', 'settle', 'process', 'store', 'save'].map((verb) => `We did not ${verb} it`),
    ...['reported', 'recorded', 'submitted', 'settled', 'processed', 'stored', 'saved', 'kept', 'held'].map(
      (done) => `It was never ${done}`,
    ),
  ])('anywhere in the answer counts: %s', (other) => {
    expect(read('Duplicate request', { others: [other] })).toMatchObject({ repeated: true, denied: true });
    expect(read(`Duplicate request. ${other}.`).denied).toBe(true);
  });

  it.each([
    'This request cannot be processed',
    'Do not retry',
    'It was not accepted: already recorded',
    'It is not for you to say that it was recorded',
    'Other data',
    'The data is the same',
  ])('is not read from "%s"', (other) => {
    expect(read('Duplicate request', { others: [other] })).toMatchObject({ repeated: true, denied: false });
  });

  it('counts even if its word was sent, except in an identifier that is not a common word', () => {
    const message = 'Duplicate request. The report was not recorded.';
    expect(read(message, { values: ['not'] }).denied).toBe(true);
    expect(read(message, { identifiers: ['not'] }).denied).toBe(true);
    expect(read('Duplicate report invalid-1', { identifiers: ['invalid-1'] }).denied).toBe(false);
    expect(read('Duplicate report invalid-zebra', { identifiers: ['invalid-zebra'] }).denied).toBe(false);
    expect(read('Duplicate report invalid-bet', { identifiers: ['invalid-bet'] }).denied).toBe(true);
  });
});

const letters = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength, maxLength })
    .map((all) => all.join(''))
    .filter((text) => !isShownWord(text.toLowerCase()));
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const unusual = fc.constantFrom(
  'winter',
  'jackpot',
  'Sokoto',
  'mammoth',
  'zebra',
  'kickoff',
  'zimní',
  'зимний',
  'ọdún',
);
const between = fc.constantFrom('-', '_', ' ', '.', ':', '/', '#', ' & ', '(', '+', ', ', '?', '. ');

/** References of operators, none of which is made of the gateway's own words. */
const REFERENCES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'a UUID': fc.uuid(),
  'a nanoid': letters(`${UPPER}${UPPER.toLowerCase()}0123456789_-`, 21).filter((id) => /[a-z\d]{3}/i.test(id)),
  'a nanoid without a digit': letters(`${UPPER}${UPPER.toLowerCase()}_-`, 21).filter((id) => /[a-z]{3}/i.test(id)),
  'a booking code': letters('BCDFGHJKLMNPQRSTVWXZ', 6, 8),
  'a number': fc.bigInt({ min: 1n, max: 10n ** 18n }).map(String),
  'an unusual word': unusual,
  'unusual words': fc.tuple(unusual, between, unusual).map((parts) => parts.join('')),
  'an unusual word beside one of the gateway': fc
    .tuple(fc.constantFrom('bet', 'report', 'user', 'invalid', 'not', 'different', 'BET'), between, unusual)
    .map((parts) => parts.join('')),
};

const NAMING: readonly ((reference: string) => string)[] = [
  (reference) => `This bet (${reference}) has already been reported.`,
  (reference) => `Bet ${reference} has already been reported`,
  (reference) => `${reference} was already recorded`,
  (reference) => `Bet "${reference}" was already settled`,
  (reference) => `The bet with id ${reference} has already been submitted`,
  (reference) => `The transaction with reference '${reference}' has already been processed`,
  (reference) => `Bet ${reference}: already processed`,
  (reference) => `already reported: ${reference}`,
  (reference) => `Duplicate: ${reference}`,
  (reference) => `Duplicate report ${reference}`,
  (reference) => `Duplicate bet_id ${reference}`,
  (reference) => `${reference} is a duplicate`,
  (reference) => `Bet [${reference}] is duplicated`,
  (reference) => `Event not accepted: ${reference} already reported`,
];

describe('a duplicate that names the report', () => {
  it.each(Object.keys(REFERENCES))('is understood for a reference that is %s', (kind) => {
    fc.assert(
      fc.property(REFERENCES[kind] ?? fc.constant(''), fc.constantFrom(...NAMING), (reference, naming) => {
        expect(read(naming(reference), { identifiers: [reference] })).toEqual({
          repeated: true,
          different: false,
          denied: false,
        });
        // A reference with a full stop would be two sentences.
        if (!/\s/.test(reference)) expect(says(naming(reference), { identifiers: ['B-1'] })).toBe(false);
      }),
      { numRuns: sampleSize('references in the words of a gateway', 500) },
    );
  });

  it('is understood at 409 as something that exists', () => {
    for (const identifier of ['winter-jackpot', 'KXQZRT'])
      expect(says(`Bet ${identifier} already exists`, { status: 409, identifiers: [identifier] })).toBe(true);
  });

  const source = readFileSync(new URL('../../../src/core/redact/vocabulary.ts', import.meta.url), 'utf8');
  const vocabulary = /WORDS = `([^`]+)/.exec(source)?.[1]?.split(/\s+/) ?? [];
  const common = fc.constantFrom(...vocabulary.filter((word) => /^[a-z]+$/.test(word)));

  it('is not read into a repeated value that only consists of words of gateways', () => {
    fc.assert(
      fc.property(
        fc.array(common, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(' ', '-', '_'),
        fc.constantFrom(' already reported', ' was already recorded', ' is a duplicate', ': already exists'),
        (words, between, ending) => {
          const identifier = words.join(between);
          expect(says(identifier + ending, { status: 409, identifiers: [identifier] })).toBe(false);
        },
      ),
      { numRuns: sampleSize('words of gateways as references', 1_000) },
    );
  });

  it('is not read into a reference that the gateway repeats, in any words', () => {
    for (const identifier of [
      'winter-jackpot already reported',
      'KXQZRT is a duplicate report',
      'already-reported-zebra',
      'DUPLICATE_ZEBRA',
      'this bet has already been reported',
    ])
      for (const message of [
        identifier,
        `request: ${identifier}`,
        `"${identifier}" is not allowed`,
        `bet ${identifier}`,
      ])
        expect(says(message, { status: 409, identifiers: [identifier] })).toBe(false);
  });
});
