import { expect, test } from 'vitest';
import * as z from 'zod/v4/core';
import { always, field, personal } from '../../../src/core/schema/fields.js';
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
