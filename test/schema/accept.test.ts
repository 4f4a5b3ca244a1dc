import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.js';
import { callOptions } from '../../src/option-table.js';
import { accept } from '../../src/schema/accept.js';
import { copyJson } from '../../src/schema/copy-json.js';
import { location, locationInput } from '../../src/schema/location.js';
import { incomplete } from '../../src/schema/model.js';
import { validate } from '../../src/schema/validate.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../factories.js';
import { changed } from './changed-payloads.js';

const place = { latitude: 6.45, longitude: 3.39, city: 'Lagos', accuracy: 12, source: 'gps' };
const MODELS = {
  'an initiated bet': [operations.reportBetEvent.request, betEvent()],
  'a settled bet': [operations.reportSettledBet.request, settledBet()],
  'an initiated withdrawal': [operations.reportWithdrawalEvent.request, withdrawalEvent()],
  'a settled withdrawal': [operations.reportSettledWithdrawal.request, settledWithdrawal()],
  'a number to verify': [operations.verifyNin.request, { nin: '99012345678' }],
  'a location': [location, place],
  'a location of the caller': [locationInput, place],
  'what a relay completes': [incomplete(operations.reportBetEvent.request, 'bet_id'), betEvent()],
  'the options of a call': [callOptions, {}],
} as const;

describe.each(Object.entries(MODELS))('%s', (_, [model, sample]) => {
  it('that is right is accepted without the schema', () => {
    const { value } = copyJson(sample);
    expect(accept(model, 'strict', value)).toEqual({ value: sample, issues: [] });
  });

  it('is accepted only where the schema accepts it, and becomes the same bytes', () => {
    let accepted = 0;
    fc.assert(
      fc.property(changed([sample]), (payload) => {
        const { value } = copyJson(payload);
        const quickly = accept(model, 'strict', value);
        if (!quickly) return;
        accepted += 1;
        expect(JSON.stringify(quickly)).toBe(JSON.stringify(validate(model, 'strict', value)));
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

it('leaves to the schema what is not asked for strictly', () => {
  expect(accept(operations.reportSettledBet.request, 'partial', copyJson(settledBet()).value)).toBeUndefined();
});

it('refuses nothing that the schema of a settled bet accepts', () => {
  const { request } = operations.reportSettledBet;
  fc.assert(
    fc.property(changed([settledBet()]), (payload) => {
      const { value } = copyJson(payload);
      expect(accept(request, 'strict', value) !== undefined).toBe(validate(request, 'strict', value).issues.length === 0);
    }),
    { numRuns: 2_000 },
  );
});
