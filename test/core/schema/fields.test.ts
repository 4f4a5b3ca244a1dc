import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/v4/core';
import { always, field, flag, number, personal, string } from '../../../src/core/schema/fields.js';
import { model } from '../../../src/core/schema/model.js';
import { validate } from '../../../src/core/schema/validate.js';

test("zod's schema of a field is made at the first check, and once", () => {
  let made = 0;
  const counted = field(() => {
    made += 1;
    return new z.$ZodUnknown({ type: 'unknown' });
  });
  const report = model({ one: personal(always(counted)), other: counted }, {});
  expect(made).toBe(0);
  expect(validate(report, 'strict', { one: 1, other: 2 }).value).toEqual({ one: 1, other: 2 });
  expect(validate(report, 'partial', { one: 1 }).value).toEqual({ one: 1 });
  expect(made).toBe(1);
});

test.each([
  ['string', string('a string'), new z.$ZodString({ type: 'string' })],
  ['number', number('a finite number'), new z.$ZodNumber({ type: 'number', checks: [] })],
  ['boolean', flag(), new z.$ZodBoolean({ type: 'boolean' })],
])("a %s is exactly what zod's own class accepts", (_type, ours, own) => {
  const answer = (schema: z.$ZodType, value: unknown) => {
    const { success, data, error } = z.safeParse(schema, value);
    return { success, data, codes: error?.issues.map(({ code }) => code) };
  };
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), fc.double(), fc.boolean()), (value) => {
      expect(answer(ours.schema(), value)).toEqual(answer(own, value));
    }),
    { examples: [[Number.NaN], [Number.POSITIVE_INFINITY], [-0], [1n], [new String('a')], [new Number(1)], [null]] },
  );
});

test('of several rules the first that does not hold is the issue', () => {
  const letters = string('a string', [/^[a-z]*$/, 'small letters'], [/^.{3}$/, (value) => `3 letters, not ${value}`]);
  const messages = (value: unknown) => z.safeParse(letters.schema(), value).error?.issues.map(({ message }) => message);
  expect([1, 'A', 'ab', 'abc'].map(messages)).toEqual([
    ['a string'],
    ['small letters'],
    ['3 letters, not ab'],
    undefined,
  ]);
});

test('a text is not taken for a number if a foreign script has replaced Number.isFinite', () => {
  const foreign = vi.spyOn(Number, 'isFinite').mockImplementation((value) => !Number.isNaN(Number(value)));
  const schema = number('a finite number').schema();
  const accepted = ['100', null, true, 100].filter((value) => z.safeParse(schema, value).success);
  foreign.mockRestore();
  expect(accepted).toEqual([100]);
});
