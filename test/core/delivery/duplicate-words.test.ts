import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import type { ReportingError } from '../../../src/core/errors/errors.js';
import { sampleSize } from '../../support/cases.js';
import { betEvent } from '../../support/factories.js';

const LOCATION = { latitude: 6.45, longitude: 3.39, source: 'test' };

interface Given {
  status: number;
  message: unknown;
  bet?: Parameters<typeof betEvent>[0];
}

/** The result of a report whose first answer was lost and whose second answer is this. */
const afterDoubt = ({ status, message, bet }: Given): Promise<string> => afterBody(status, { message }, bet);

async function afterBody(status: number, body: unknown, bet: Given['bet'] = {}): Promise<string> {
  let asked = 0;
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } },
    validation: 'partial',
    retry: { limit: 1, baseMs: 0 },
    fetch: async () => {
      asked += 1;
      return asked === 1 ? new Response('', { status: 500 }) : Response.json(body, { status });
    },
  });
  const end = await client
    .reportBetEvent(betEvent({ bet_id: 'B-1', ...bet }), { location: LOCATION })
    .catch((error: ReportingError) => error);
  return 'conflict' in end && end.conflict ? 'conflict' : end.outcome;
}

describe('after a lost answer', () => {
  it.each([
    'This bet has already been reported',
    'This bet (B-1) has already been reported.',
    'B-1 was already recorded',
    'Bet event already processed',
    'The transaction has already been settled. Contact support.',
    'This bet_id has already been submitted',
    'Duplicate report',
    'Duplicate: B-1',
    'DUPLICATE_REQUEST',
    'The report is a duplicate',
    'Event not accepted: already reported',
    'already reported',
  ])('a 422 with "%s" says that this report was recorded', async (message) => {
    expect(await afterDoubt({ status: 422, message })).toBe('already-recorded');
    expect(await afterDoubt({ status: 400, message: ['ggr is missing', message] })).toBe(
      message === 'already reported' ? 'unknown' : 'already-recorded',
    );
  });

  it.each([
    ['1', 'Transaction 1 was already reported', 'already-recorded'],
    ['1', 'Transaction1 was already reported', 'unknown'],
    ['1', 'Transaction 11 was already reported', 'unknown'],
    ['-1', 'Transaction-1 was already reported', 'unknown'],
    ['\u{1d7d9}', 'Transaction\u{1d49c}\u{1d7d9} was already reported', 'unknown'],
  ])('a reference of %s is not a part of a word: "%s" is %s', async (bet_id, message, outcome) => {
    expect(await afterDoubt({ status: 409, message, bet: { bet_id } })).toBe(outcome);
  });

  it.each([
    'user already exists in self-exclusion list',
    'nin already exists for another player',
    'Duplicate detection is unavailable',
    'Duplicate detection is unavailable for this request',
    'metadata.duplicate must be a number',
    'user already reported as deceased',
    'user.nin already submitted',
    'nin: already recorded',
    'The player was already reported',
    'only a bet already reported can be settled',
    'the bet must not be already settled',
    'bet B-1 was not already reported',
    'if the bet has already been reported, settle it',
    'this is not a duplicate',
    'no duplicate request',
    'Duplicate',
    'duplicate key value violates unique constraint',
    'bet_id already exists',
    'This bet has already been reported for another player',
    'B-2 was already reported',
    'another bet was already reported',
    'Duplicate user in report',
    'Duplicate request. The report was not recorded.',
    "Duplicate request. The report wasn't recorded.",
    'Duplicate request. We failed to record the report.',
    'Duplicate report. The report is invalid.',
    'transaction already reported under other reference',
    'transaction already reported under a different reference',
    'bet already reported by other request',
    'Invalid request: duplicate identifier',
    'Bet rejected: duplicate id',
    'Report: duplicate id',
    'Report rejected. This bet was already reported.',
    'Duplicate report. The player could be blocked.',
    'Duplicate id B-1',
    'The bet has a duplicate identifier',
    'The data already submitted, is invalid',
    'Could not be recorded. Bet already settled.',
    'Duplicate request: another request is in progress',
  ])('a 400 or 422 with "%s" does not count', async (message) => {
    for (const status of [400, 422]) expect(await afterDoubt({ status, message })).toBe('unknown');
  });

  it.each([
    'This bet has already been reported with different data',
    'already submitted with other data',
    'Duplicate bet. The data is different.',
  ])('a 422 with "%s" is a conflict', async (message) => {
    expect(await afterDoubt({ status: 422, message })).toBe('conflict');
    expect(await afterDoubt({ status: 409, message })).toBe('conflict');
  });

  it('a bet with a field named duplicate is not recorded because of a refusal of that field', async () => {
    expect(
      await afterDoubt({
        status: 422,
        message: 'metadata.duplicate must be a number',
        bet: { metadata: { duplicate: 'x' } },
      }),
    ).toBe('unknown');
  });

  it.each<[string, Given['bet'], string]>([
    ['a name in words', { metadata: { duplicate_report: 'x' } }, 'The duplicate report field'],
    ['a name alone', { metadata: { 'duplicate report': 'x' } }, 'duplicate report'],
    ['a name in another case', { metadata: { duplicateReport: 'x' } }, 'Duplicate report'],
    ['a value', { metadata: { note: 'already reported' } }, 'already reported'],
    ['a value that is cut', { metadata: { note: 'duplicate report of last week' } }, 'Duplicate report'],
    ['a value with marks', { metadata: { note: 'dúplicate réport' } }, 'duplicate report'],
    ['a value without spaces', { metadata: { note: 'alreadyReported' } }, 'already reported'],
    ['a verb', { metadata: { note: 'processed' } }, 'bet already processed'],
    ['an identifier that is a word', { bet_id: 'user' }, 'user already reported'],
    ['an identifier of many words', { bet_id: 'duplicate report 7' }, 'duplicate report'],
    [
      'a word for a conflict',
      { metadata: { note: 'different' } },
      'This bet has already been reported with different data',
    ],
  ])('sent words are ignored: %s', async (_, bet, message) => {
    for (const status of [400, 422]) expect(await afterDoubt({ status, message, bet })).toBe('unknown');
  });

  const DIFFERENT = 'This bet has already been reported with different data';
  it.each<[string, unknown]>([
    ['a nested message', { error: { message: DIFFERENT } }],
    ['a list of errors', { errors: [DIFFERENT] }],
    ['a list of objects', { errors: [{ detail: DIFFERENT }] }],
    ['a detail', { detail: DIFFERENT }],
    ['an error beside a message', { message: 'Conflict', error: DIFFERENT }],
    ['a message that is an object', { message: { text: DIFFERENT } }],
    ['a bare string', DIFFERENT],
    ['a sentence that follows', `${DIFFERENT}. The new report was not recorded.`],
  ])('a 409 that says in %s that other data is held is a conflict', async (_, body) => {
    expect(await afterBody(409, body)).toBe('conflict');
  });

  it.each([
    'This bet has already been reported, but its data differs',
    'Already reported: amount mismatch',
    'AMOUNT_MISMATCH',
    'The data is not the same',
    "The data doesn't match what was reported",
    'another request is in progress, retry',
    'The bet is being processed',
    'another request with different data is in progress',
    'The bet is locked',
    'Conflicting data',
    'We failed to record the report',
    'Conflict: the data was never stored',
    'Conflict, please try again',
    'Duplicate request. The report was not recorded.',
    'bet B-1 was not already reported',
    'transaction already reported under other reference',
    'This bet has already been reported by another operator',
    'This identifier is used by a different transaction',
  ])('a 409 that says "%s" anywhere leaves the doubt', async (said) => {
    for (const body of [
      said,
      [said],
      { message: said },
      { message: 'Conflict', error: said },
      { message: 'Already reported', errors: [{ text: said }] },
    ])
      expect(await afterBody(409, body)).toBe('unknown');
  });

  it.each([
    { message: 'Duplicate request. Please wait.' },
    { message: 'Duplicate request. Only one request per second is allowed.' },
    { message: 'Duplicate request. The gateway is under maintenance.' },
    { message: 'Duplicate request. Your first request is still being handled.' },
    { message: 'Request already submitted; awaiting confirmation' },
    { message: 'Report already submitted. Upstream timed out.' },
    { message: 'Report already submitted. It was rolled back.' },
    { message: 'Duplicate event. Discarded.' },
    { message: 'Previously submitted request has been cancelled. Duplicate request.' },
    { message: 'Transaction already processed. Wallet is busy.' },
    { message: 'Is this a duplicate report?' },
    { message: 'Duplicate report? Check your records.' },
    { message: 'Not a duplicate. Bet already reported.' },
    { message: 'Bet already reported', recorded: false },
    { message: 'Bet already reported', result: { isStored: false } },
    { message: 'Duplicate report', duplicate: false },
    { message: 'Bet already reported', state: 'EXPIRED' },
    { message: 'Conflict', code: 'DUPLICATE_REQUEST', detail: 'Wallet is busy' },
    { message: 'Conflict', errors: ['Duplicate report', 'Database deadlock'] },
    { error: 'Conflict', docs: 'Duplicate report.', why: 'Optimistic lock failure' },
  ])('%j leaves the doubt, since another part of it says that the report may not be held', async (body) => {
    for (const status of [400, 409, 422]) expect(await afterBody(status, body)).toBe('unknown');
  });

  it('a 422 whose other words deny its message leaves the doubt', async () => {
    expect(await afterBody(422, { message: 'Duplicate request', detail: 'The report was not recorded' })).toBe(
      'unknown',
    );
    expect(await afterBody(422, { message: 'Duplicate request', detail: { reason: 'The amount differs' } })).toBe(
      'unknown',
    );
  });

  it.each([
    null,
    [],
    {},
    { statusCode: 409 },
    'Conflict',
    { message: 'Already reported. Do not retry.' },
    { message: 'Report rejected: already reported' },
  ])('a 409 with %j leaves the doubt, since no sentence of it says that this report was reported', async (body) => {
    expect(await afterBody(409, body)).toBe('unknown');
  });

  it.each([
    { code: 'DUPLICATE_REPORT' },
    { error: { code: 'BET_ALREADY_SETTLED' } },
    { statusCode: 400, error: 'Bad Request', message: 'Bad Request', reason: 'duplicateBet' },
    { message: 'Conflict', error: 'This bet has already been reported' },
    ['This bet has already been reported'],
    'The event was already recorded',
  ])('%j says so in a code or in another text', async (body) => {
    for (const status of [400, 409, 422]) expect(await afterBody(status, body)).toBe('already-recorded');
  });

  it.each([
    { code: 'DUPLICATE_REQUEST', message: 'Please slow down' },
    { code: 'ALREADY_PROCESSED' },
    { code: 'DUPLICATE' },
    { code: 'DUPLICATE_USER' },
    { code: 'DUPLICATE_REPORT_CHECK_OFF' },
    { message: 'The wallet is busy', last: 'bet already settled' },
    { duplicateReport: true },
  ])('%j does not', async (body) => {
    for (const status of [400, 409, 422]) expect(await afterBody(status, body)).toBe('unknown');
  });

  it('a code that was sent does not count', async () => {
    for (const metadata of [{ note: 'DUPLICATE_REPORT' }, { DUPLICATE_REPORT: 'yes' }, { note: 'duplicateReport' }])
      expect(await afterBody(409, { code: 'DUPLICATE_REPORT' }, { metadata })).toBe('unknown');
  });

  it.each([
    'The bet already exists',
    'A bet with this id already exists',
    'bet_id already exists',
    'Report with id B-1 already exists.',
    'B-1 already exists',
  ])('"%s" counts at 409 only', async (message) => {
    expect(await afterDoubt({ status: 409, message })).toBe('already-recorded');
    for (const status of [400, 422]) expect(await afterDoubt({ status, message })).toBe('unknown');
  });

  it.each([
    'Already exists',
    'The user already exists',
    'id already exists',
    'The bet already exists for another player',
    'exists',
    'B-2 already exists',
  ])('a 409 with "%s" leaves the doubt', async (message) => {
    expect(await afterDoubt({ status: 409, message })).toBe('unknown');
  });

  it.each(['Version conflict: the row has different data', 'other data', 'Different currency'])(
    'a 409 with "%s" does not name a conflict about this report',
    async (message) => {
      expect(await afterDoubt({ status: 409, message })).toBe('unknown');
    },
  );

  it.each<[string, unknown]>([
    ['many words', { message: 'Duplicate report', more: 'a '.repeat(3_000) }],
    ['many parts', { message: 'Duplicate report', more: Array(5_000).fill(0) }],
    ['many levels', { message: 'Duplicate report', more: JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)) }],
  ])('a 409 of too %s to read leaves the doubt', async (_, body) => {
    expect(await afterBody(409, body)).toBe('unknown');
  });

  it.each<[string, number, (count: number) => unknown]>([
    // The message is a part of the text.
    ['4,096 characters', 4_096, (length) => ({ message: 'Duplicate report', more: 'a'.repeat(length - 16) })],
    // The body, its message and the list are values, too.
    ['1,000 values', 1_000, (count) => ({ message: 'Duplicate report', more: Array(count - 3).fill(0) })],
  ])('a 409 is read up to %s', async (_, most, bodyOf) => {
    expect(await afterBody(409, bodyOf(most))).toBe('already-recorded');
    expect(await afterBody(409, bodyOf(most + 1))).toBe('unknown');
  });

  it('a sent word hides no denial of the gateway', async () => {
    expect(await afterBody(409, { message: 'The report was not recorded' }, { metadata: { note: 'not' } })).toBe(
      'unknown',
    );
    expect(await afterBody(409, { message: 'The report was not recorded' }, { bet_id: 'not' })).toBe('unknown');
    expect(await afterBody(409, { message: DIFFERENT }, { bet_id: 'different' })).toBe('unknown');
  });

  it('a 409 whose word for a conflict was sent is not a success', async () => {
    const message = 'This bet has already been reported with different data';
    expect(await afterDoubt({ status: 409, message, bet: { metadata: { note: 'different' } } })).toBe('unknown');
  });
});

/** Words of operators that resemble the gateway's. */
const TELLING = fc
  .array(
    fc.constantFrom(
      'already',
      'been',
      'duplicate',
      'Duplicate',
      'report',
      'reported',
      'bet',
      'event',
      'request',
      'data',
      'has',
      'this',
      'recorded',
      'x',
      '7',
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .chain((words) => fc.constantFrom(' ', '_', '-', '.', ', ', '').map((between) => words.join(between)));

/** Ways in which gateways repeat a value or a name. None of these sentences says that a report was reported before. */
const REPEATED: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `${word} must be a number`,
  (word) => `metadata.${word} is not allowed`,
  (word) => `"${word}"`,
  (word) => `got ${word.toUpperCase()}`,
  (word) => `The ${word.replace(/[_.-]/g, ' ')}`,
  (word) => word.toLowerCase(),
  (word) => `request: ${word}`,
];

describe('no word of an operator', () => {
  it('turns a refusal into a duplicate, as a value, a name or an identifier', async () => {
    await fc.assert(
      fc.asyncProperty(
        TELLING,
        fc.constantFrom(...REPEATED),
        fc.constantFrom('value', 'name', 'identifier'),
        fc.constantFrom(400, 422),
        async (word, repeat, place, status) => {
          // A number in the identifier makes it possible that a sentence is about it.
          const bet =
            place === 'value'
              ? { metadata: { note: word } }
              : place === 'name'
                ? { metadata: { [word]: 1 } }
                : { bet_id: word.replaceAll('7', 'x') };
          expect(await afterDoubt({ status, message: repeat(word), bet })).toBe('unknown');
        },
      ),
      { numRuns: sampleSize('words of operators in refusals', 600) },
    );
  });

  it('turns any other refusal into one', async () => {
    await fc.assert(
      fc.asyncProperty(TELLING, fc.constantFrom(401, 403, 404, 405, 413, 451), async (word, status) => {
        expect(await afterDoubt({ status, message: word, bet: { metadata: { note: word } } })).toBe('unknown');
      }),
      { numRuns: 100 },
    );
  });
});
