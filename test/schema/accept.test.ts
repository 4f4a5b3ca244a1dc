import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callOptions } from '../../src/client/option-table.js';
import { operations } from '../../src/protocol/operations.js';
import { accept, copyAndAccept } from '../../src/schema/accept.js';
import { copyJson } from '../../src/schema/copy-json.js';
import { location, locationInput } from '../../src/schema/location.js';
import { incomplete } from '../../src/schema/model.js';
import { validate } from '../../src/schema/validate.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../factories.js';
import { sampleSize } from '../support/cases.js';
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

  it('that is right is accepted while it is copied', () => {
    const { accepted } = copyAndAccept(sample, model, 'strict');
    expect(accepted).toEqual({ value: sample, issues: [] });
    expect(accepted?.value).not.toBe(sample);
  });

  it('is the same whether it is copied and then looked at, or both at once', () => {
    let accepted = 0;
    fc.assert(
      fc.property(changed([sample]), (payload) => {
        const copied = copyJson(payload);
        const given = copyAndAccept(payload, model, 'strict');
        if (given.accepted) {
          accepted += 1;
          expect(copied.issues).toEqual([]);
          expect(JSON.stringify(given.accepted)).toBe(JSON.stringify(validate(model, 'strict', copied.value)));
        } else expect(given).toEqual(copied);
      }),
      { numRuns: sampleSize('payloads that are accepted, of each kind', 2_000) },
    );
    expect(accepted).toBeGreaterThan(0);
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
      { numRuns: sampleSize('payloads that are accepted, of each kind', 2_000) },
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
    { numRuns: sampleSize('payloads that are accepted, of each kind', 2_000) },
  );
});

describe('a payload whose properties count how often they are read', () => {
  const { request } = operations.reportSettledBet;

  /** @returns the payload, and the names in the order in which they are read */
  const counting = (payload: object) => {
    const reads: string[] = [];
    const watch = (from: object, at: string): object =>
      Object.defineProperties(
        {},
        Object.fromEntries(
          Object.entries(from).map(([name, value]) => {
            const kept = typeof value === 'object' && value !== null ? watch(value, `${at}${name}.`) : value;
            const get = () => {
              reads.push(at + name);
              return kept;
            };
            return [name, { enumerable: true, get }];
          }),
        ),
      );
    return { payload: watch(payload, ''), reads };
  };
  const { bet_id, user, ...rest } = settledBet();
  const names = (payload: object): string[] =>
    Object.entries(payload).flatMap(([name, value]) => [name, ...(typeof value === 'object' ? Object.keys(value).map((inner) => `${name}.${inner}`) : [])]);

  it.each([
    ['is right', settledBet(), true],
    ['has its fields in another order', { user, ...rest, bet_id }, true],
    ['has a wrong field within, in another order', { user: { ...user, nin: '1' }, ...rest, bet_id }, false],
    ['has one field too many', { ...settledBet(), amount: 1 }, false],
  ])('and which %s is read once', (_, sample, isRight) => {
    const { payload, reads } = counting(sample);
    const given = copyAndAccept(payload, request, 'strict');
    expect(given.accepted !== undefined).toBe(isRight);
    expect(given.value).toEqual(sample);
    expect([...reads].sort()).toEqual(names(sample).sort());
  });
});

describe('what passes for a payload and is none', () => {
  const { request } = operations.reportSettledBet;
  const named = { [Symbol.toStringTag]: 'Object' };

  it.each([
    ['a function', Object.assign(() => {}, settledBet(), named)],
    ['a list', Object.assign([], settledBet(), named)],
    ['a Map', Object.assign(new Map(), settledBet())],
    ['inherited fields', Object.create(settledBet())],
    ['a getter that throws', Object.defineProperty(settledBet(), 'ur', { enumerable: true, get: () => expect.unreachable() })],
    ['nothing', null],
  ])('%s is left to the copy', (_, payload) => {
    expect(copyAndAccept(payload, request, 'strict')).toEqual(copyJson(payload));
  });

  it('a member named by a symbol does not come along', () => {
    const { value } = copyAndAccept({ ...settledBet(), [Symbol('more')]: 1 }, request, 'strict');
    expect(Object.getOwnPropertySymbols(value)).toEqual([]);
  });
});
