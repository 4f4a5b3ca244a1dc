import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operations, type ReportName } from '../../../src/core/protocol/operations.js';
import { maskDetails, maskSent } from '../../../src/core/redact/redact.js';
import { isShownWord } from '../../../src/core/redact/vocabulary.js';
import { identifiersOf, sentValues } from '../../../src/core/schema/sent.js';
import { createClient, type ReportingError } from '../../../src/entries/index.js';
import table from '../../vectors/gateway-words.json';
import { validPayload } from '../../vectors/read.js';

type Json = Record<string, unknown>;
type Report = keyof typeof table.reports;

const SLOT = /\{([a-z]\w*(?:\.\w+)?)\}/gi;
/** A word that no gateway says. */
const OTHER = 'qzxvqy';

function setAt(body: Json, path: string, value: unknown): void {
  const [name = '', inner] = path.split('.');
  if (inner === undefined) body[name] = value;
  else body[name] = { ...(body[name] as Json), [inner]: value };
}

function bodyOf(report: Report, change: Json = {}): { operation: ReportName; body: Json } {
  const of = table.reports[report];
  const operation = of.operation as ReportName;
  const body = validPayload(operation);
  for (const [path, value] of Object.entries({ ...of.change, ...change })) setAt(body, path, value);
  return { operation, body };
}

const valueAt = (body: Json, path: string): string =>
  String(path.split('.').reduce<unknown>((inner, name) => (inner as Json)[name], body));

const fill = (said: string, body: Json): string => said.replace(SLOT, (_, path: string) => valueAt(body, path));

function mask(operation: ReportName, body: Json, said: string): string {
  const { request } = operations[operation];
  return maskSent(said, sentValues(request, body), identifiersOf(request, body));
}

test('the table holds at least 100 sentences of seven validators', () => {
  expect(table.sentences.length).toBeGreaterThanOrEqual(100);
  for (const by of ['class-validator', 'Joi', 'Zod', 'Laravel', 'Spring', 'FluentValidation', 'Ajv'])
    expect(table.sentences.filter((row) => row.by === by).length).toBeGreaterThanOrEqual(10);
});

describe('a person reads', () => {
  test.each(table.sentences)('$by, $report: $said', ({ report, said, shown }) => {
    const { operation, body } = bodyOf(report as Report);
    const filled = fill(said, body);
    expect(mask(operation, body, filled)).toBe(shown);
    const { request } = operations[operation];
    expect(maskDetails({ errors: [filled] }, sentValues(request, body), identifiersOf(request, body))).toEqual({
      errors: [shown],
    });
    for (const [, path = ''] of said.matchAll(SLOT))
      for (const word of valueAt(body, path).match(/[\p{L}\p{N}.]+/gu) ?? [])
        if (word.length > 2 && !isShownWord(word.toLowerCase())) expect(shown).not.toContain(word);
  });
});

test('an error of the client shows the same words, and no value of the report', async () => {
  for (const { report, said, shown } of table.sentences) {
    const { operation, body } = bodyOf(report as Report);
    const client = createClient({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'sk-1a2b3c4d' } },
      validation: 'partial',
      location: { required: false },
      fetch: async () => Response.json({ message: fill(said, body) }, { status: 422 }),
    });
    const call = client[operation] as (payload: Json) => Promise<unknown>;
    const error = (await call(body).catch((reason: unknown) => reason)) as ReportingError;
    expect(error.message).toContain(`"${shown}"`);
    expect(JSON.stringify(error)).not.toMatch(
      /99012345678|12345678901|55566677788|99887766554|Okonkwo|ENUGU|4711|150250/,
    );
  }
});

test('the names of the fields are shown in each spelling of a path, also if their words were sent', () => {
  const values = sentValues(operations.reportSettledBet.request, {
    user: { user_id: 'user-17', first_name: 'Resident', last_name: 'User', resident_state: 'Name', resident_lga: 'Id' },
    outcome: 'WIN',
  });
  for (const said of [
    'user.resident_lga',
    'user.residentLga',
    '/user/resident_lga',
    '#/user/resident_lga',
    '$.user.resident_lga',
    'user[resident_lga]',
    "user['resident_lga']",
    'user.first_name',
    'first_name',
    'user.user_id',
    'userId',
    'win_amount',
    'win amount',
    'account_last4',
    'location.city',
    'metadata.bank',
  ])
    for (const sentence of [`${said} is required`, `"${said}": must not be empty`])
      expect(maskSent(sentence, values)).toBe(sentence);
});

/** Words of rules and fields, alone and in phrases, beside unknown words. */
const word = fc.oneof(
  fc.constantFrom(
    ...'must be required invalid one of expected length format digits date string number value field name state user id local government area tax identification not a the to at least most is valid resident lga city received got should match iso may in future Must Be'.split(
      ' ',
    ),
  ),
  fc.constantFrom(
    'user_id',
    'last-name',
    'user.nin',
    'resident_lga',
    'userId',
    'must-be',
    'LocalGovernmentArea',
    'date-time',
  ),
  fc.stringMatching(/^[bcdfghjklmnpqrstvwxyz]{3,8}$/),
  fc.stringMatching(/^[0-9]{1,11}$/),
);
const phrase = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom(' ', ' ', ' ', ', ', '-', ' - ', '/'))
  .map(([words, between]) => words.join(between))
  .filter((text) => text.length >= 3);

const NAMED = [
  'user_id',
  'first_name',
  'last_name',
  'resident_address',
  'resident_lga',
  'resident_state',
  'tax_id',
  'nin',
];

/** Sentences of gateways in which a value stands. */
const FRAMES: readonly ((value: string) => string)[] = [
  (value) => `"${value}"`,
  (value) => `got ${value}`,
  (value) => `expected another value, received ${value}`,
  (value) => `Field error on field 'user.nin': rejected value [${value}]; default message [must not be null]`,
  (value) => `user.resident_lga must be a local government area, got "${value}"`,
  (value) => `user.resident_lga: ${value}`,
  (value) => `user.resident_lga ${value} is invalid`,
  (value) => `${value} is not a local government area`,
  (value) => `The value '${value}' is not valid for 'First Name'.`,
  (value) => `"user.first_name" with value "${value}" fails to match the required pattern`,
  (value) => `'Resident State' must be equal to '${value}'.`,
  (value) => `body/user/tax_id must be equal to ${value}`,
  (value) => `Invalid enum value. Expected string, received '${value}'`,
  (value) => `No user ${value} at city ${value}`,
  (value) => `The selected ${value} is invalid.`,
  ...table.sentences
    .filter(({ said }) => new Set(said.match(SLOT)).size === 1)
    .map(
      ({ said }) =>
        (value: string) =>
          said.replace(SLOT, () => value),
    ),
];

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
const pairsOf = (words: readonly string[]) => words.slice(1).map((word, index) => `${words[index]} ${word}`);

/** Whether the last word of a value and the next word of the sentence stand together in another sent value: both are masked. */
function isContinued(said: string, value: string, others: readonly string[]): boolean {
  const own = pairsOf(wordsOf(value));
  const across = pairsOf(wordsOf(said)).filter((pair) => !own.includes(pair));
  const elsewhere = others.flatMap((other) => pairsOf(wordsOf(other)));
  return across.some((pair) => elsewhere.includes(pair));
}

test('what is shown does not depend on a sent value that stands in it', () => {
  fc.assert(
    fc.property(
      fc.array(phrase, { minLength: NAMED.length, maxLength: NAMED.length }),
      fc.nat(NAMED.length - 1),
      fc.constantFrom(...FRAMES),
      (values, at, frame) => {
        const body = { bet_id: 'B-1', user: Object.fromEntries(NAMED.map((name, index) => [name, values[index]])) };
        const value = values[at] ?? '';
        const others = values.filter((_, index) => index !== at);
        fc.pre(!isContinued(frame(value), value, others));
        expect(mask('reportBetEvent', body, frame(value))).toBe(mask('reportBetEvent', body, frame(OTHER)));
      },
    ),
    { numRuns: 5_000 },
  );
});

describe('no form of a sentence carries a value past the mask:', () => {
  const body = {
    bet_id: 'B-1',
    amount: 98765.43,
    user: {
      user_id: 'must-be-4711',
      first_name: 'Must',
      last_name: 'Format',
      resident_address: 'No 5, Required Date Close, in the City of Length 12 digits',
      resident_lga: 'Local Government',
      resident_state: 'Valid State',
      nin: '11111111111',
      tax_id: 'tax_id',
    },
    location: { latitude: 6.4412, longitude: 7.4988, city: 'Number Field', source: 'gps' },
    metadata: { player: 'Sally Field', note: 'betId' },
  };

  test.each([
    // The NIN, and numbers that could be digits of it.
    ['user.nin must be 11111111111 digits', 'user.nin must be [masked] digits'],
    ['user.nin must be 11 digits, 21 digits 31 digits', 'user.nin must be 11 digits, [masked] digits [masked] digits'],
    ['be one of one of one of one of', 'be one of [masked] of [masked] of [masked] of'],
    ['iso 8601 8601 iso 86011', 'iso 8601 [masked] iso [masked]'],
    ['>=11111111111 characters', '[masked] characters'],
    ['/1/1/1/1/1', '[masked]'],
    ['user.nin[1][1][1]', '[masked]'],
    ["user['11111111111']", '[masked]'],
    ['character(1)', '[masked]'],
    ['user.nin.11111111111 is required', '[masked] is required'],
    // Names.
    ['got Must', 'got [masked]'],
    ['first_name: Must', 'first_name: [masked]'],
    ['"Must" be a string', '[masked] be a string'],
    ['received Must Format', 'received [masked]'],
    ['Must.Format is invalid', '[masked] is invalid'],
    ['must-format', '[masked]'],
    ['/Must/Format must be string', '[masked] must be string'],
    ['Format is required', '[masked] is required'],
    ['user.format must match format "Format"', '[masked] must match [masked]'],
    ['$.Must', '[masked]'],
    ['`Must`', '[masked]'],
    ['Must(s) is invalid', '[masked] is invalid'],
    ['Field is required for Sally', '[masked] is required for [masked]'],
    // Pieces of the address, the area and the state.
    ['got Required Date Close', 'got [masked]'],
    ['the value "No 5, Required Date Close" is invalid', 'the value [masked] is invalid'],
    ['City of Length 12 digits', '[masked]'],
    ['local government is not valid', '[masked] is not [masked]'],
    ['LocalGovernment local_government local-government', '[masked]'],
    ['state valid, Valid State', '[masked]'],
    ['must be in Number Field', 'must be in [masked]'],
    // The amount and the coordinates.
    ['amount must be 98765.43', 'amount must be [masked]'],
    ['amount: >= 98765.43', 'amount: >= [masked]'],
    ['location.latitude must be <=6.4412', 'location.latitude must be [masked]'],
    ['location/6/44/12', '[masked]'],
    ['6 digits 44 digits 12 digits', '6 digits [masked] digits [masked]'],
    // A value that is spelled as the path of a field.
    ['got tax_id', 'got [masked]'],
    ['tax id is not known', '[masked] is not known'],
    ['note bet_id is not known', 'note [masked] is not known'],
    ['user_id must-be-4711, must be 4711', 'user_id [masked]'],
    // A name that begins like a sentence of rules.
    ['No user Must have an account', 'No user [masked] have an account'],
  ])('%s', (said, shown) => {
    expect(mask('reportBetEvent', body, said)).toBe(shown);
  });

  test('a piece of the name of a bank or of an address in words of rules', () => {
    const user = { full_name: 'Sally Field', residence_address: 'Opposite First City, Garki' };
    const metadata = { method: 'card', bank: 'First Bank of Nigeria', account_last4: '4711' };
    const sent = { request_id: 'R-1', user, metadata };
    for (const [said, shown] of [
      ['First Bank is not supported', '[masked] is not supported'],
      ['metadata.bank: "First Bank" is unknown', 'metadata.bank: [masked] is unknown'],
      ['address: First City is unknown', 'address: [masked] is unknown'],
      ['user.first_name: the bank is required', 'user.first_name: the bank is required'],
    ] as const)
      expect(mask('reportWithdrawalEvent', sent, said)).toBe(shown);
  });

  test('a status beside a word with which it would be the name of a field', () => {
    for (const [status, said, shown] of [
      ['resident', 'state resident, lga unknown', 'state [masked] lga unknown'],
      ['resident', 'got "resident" state', 'got [masked] state'],
      ['non-resident', 'state non-resident, lga unknown', 'state [masked] lga unknown'],
      ['non-resident', 'the non resident state', 'the [masked] state'],
      ['resident', 'the resident state is required', 'the resident state is required'],
    ] as const)
      expect(mask('reportWithdrawalEvent', { request_id: 'R-1', user: { residency_status: status } }, said)).toBe(
        shown,
      );
  });

  test('a first and a last name that spell the path of a field together', () => {
    const sent = { bet_id: 'B-1', user: { first_name: 'Resident', last_name: 'State' } };
    for (const name of ['ResidentState', 'resident_state', 'Resident/State', 'resident.state', "Resident['State']"])
      expect(mask('reportBetEvent', sent, `${name} is blocked`)).toBe('[masked] is blocked');
    expect(mask('reportBetEvent', sent, 'user.resident_lga is blocked')).toBe('user.resident_lga is blocked');
  });

  test('"must be" is hidden if it is a name', () => {
    const named = { bet_id: 'B-1', user: { first_name: 'Must', last_name: 'Be' } };
    expect(mask('reportBetEvent', named, 'user.nin: received Must Be')).toBe('user.nin: received [masked]');
  });
});
