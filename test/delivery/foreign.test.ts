import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { isForeign, markForeign } from '../../src/delivery/foreign.js';
import { NotFoundError } from '../../src/errors/errors.js';

it("an answer that is not the gateway's own is known by its mark, which no printer shows", () => {
  const error = new NotFoundError('no such record');
  const shown = [JSON.stringify(error), inspect(error), Object.keys(error)];
  expect(isForeign(error)).toBe(false);
  markForeign(error);
  expect(isForeign(error)).toBe(true);
  expect([JSON.stringify(error), inspect(error), Object.keys(error)]).toEqual(shown);
});

it('the mark is the same in every copy of the package', () => {
  const error = Object.assign(new NotFoundError('no such record'), { [Symbol.for('location-sdk.foreign-answer')]: true });
  expect(isForeign(error)).toBe(true);
});
