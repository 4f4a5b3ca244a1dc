import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.js';
import type { ReportingError } from '../../src/errors/errors.js';
import { betEvent } from '../factories.js';

const LOCATION = { latitude: 6.45, longitude: 3.39, source: 'test' };

interface Given {
  status: number;
  message: unknown;
  bet?: Parameters<typeof betEvent>[0];
}

/** How a report ends whose first answer was lost and whose second is this. */
async function afterDoubt({ status, message, bet = {} }: Given): Promise<string> {
  let asked = 0;
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } },
    validation: 'partial',
    retry: { limit: 1, baseMs: 0 },
    fetch: async () => {
      asked += 1;
      return asked === 1 ? new Response('', { status: 500 }) : Response.json({ message }, { status });
    },
  });
  const end = await client.reportBetEvent(betEvent({ bet_id: 'B-1', ...bet }), { location: LOCATION }).catch((error: ReportingError) => error);
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
    expect(await afterDoubt({ status: 400, message: ['ggr is missing', message] })).toBe(message === 'already reported' ? 'unknown' : 'already-recorded');
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
  ])('a 400 or 422 with "%s" says nothing of it', async (message) => {
    for (const status of [400, 422]) expect(await afterDoubt({ status, message })).toBe('unknown');
  });

  it.each(['This bet has already been reported with different data', 'already submitted with other data', 'Duplicate bet. The data is different.'])(
    'a 422 with "%s" is a conflict',
    async (message) => {
      expect(await afterDoubt({ status: 422, message })).toBe('conflict');
      expect(await afterDoubt({ status: 409, message })).toBe('conflict');
    },
  );

  it('a bet with a field named duplicate is not recorded by the refusal of that field', async () => {
    expect(await afterDoubt({ status: 422, message: 'metadata.duplicate must be a number', bet: { metadata: { duplicate: 'x' } } })).toBe('unknown');
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
    ['a word for a conflict', { metadata: { note: 'different' } }, 'This bet has already been reported with different data'],
  ])('words that were sent say nothing: %s', async (_, bet, message) => {
    for (const status of [400, 422]) expect(await afterDoubt({ status, message, bet })).toBe('unknown');
  });

  it('a 409 whose word for a conflict was sent is no success', async () => {
    const message = 'This bet has already been reported with different data';
    expect(await afterDoubt({ status: 409, message, bet: { metadata: { note: 'different' } } })).toBe('unknown');
  });
});

/** Words of operators that are chosen to be taken for the gateway's. */
const TELLING = fc
  .array(
    fc.constantFrom('already', 'been', 'duplicate', 'Duplicate', 'report', 'reported', 'bet', 'event', 'request', 'data', 'has', 'this', 'recorded', 'x', '7'),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .chain((words) => fc.constantFrom(' ', '_', '-', '.', ', ', '').map((between) => words.join(between)));

/** How gateways repeat a value or a name. None of these sentences says that a report was reported before. */
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
          // A number in the identifier makes it one that a sentence may be about.
          const bet = place === 'value' ? { metadata: { note: word } } : place === 'name' ? { metadata: { [word]: 1 } } : { bet_id: word.replaceAll('7', 'x') };
          expect(await afterDoubt({ status, message: repeat(word), bet })).toBe('unknown');
        },
      ),
      { numRuns: 600 },
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
