import { expect, test } from 'vitest';
import { createRecordCache } from '../../../src/node/mmdb/cache.js';

const GENERATION = 4_096;

/** A cache with this number of records, added one after the other. */
function filled(count: number) {
  const cache = createRecordCache();
  for (let offset = 0; offset < count; offset += 1) cache.set(offset, { offset });
  return cache;
}

test('an added record is found', () => {
  expect(filled(3).get(1)).toEqual({ offset: 1 });
  expect(filled(3).get(4)).toBeUndefined();
});

test('a record of one generation ago is found', () => {
  expect(filled(2 * GENERATION).get(0)).toEqual({ offset: 0 });
});

test('a record unused for two generations is removed', () => {
  const cache = filled(3 * GENERATION);
  const kept = Array.from({ length: 3 * GENERATION }, (_, offset) => cache.get(offset)).filter((record) => record !== undefined);
  expect(kept.length).toBeLessThanOrEqual(2 * GENERATION);
  expect(cache.get(0)).toBeUndefined();
});

test('a record that is used again and again stays', () => {
  const cache = filled(1);
  let lost = 0;
  for (let offset = 1; offset < 10 * GENERATION; offset += 1) {
    cache.set(offset, { offset });
    if (cache.get(0) === undefined) lost += 1;
  }
  expect(lost).toBe(0);
});
