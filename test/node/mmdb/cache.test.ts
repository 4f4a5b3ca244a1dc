import { expect, test } from 'vitest';
import { createRecordCache } from '../../../src/node/mmdb/cache.js';

const GENERATION = 4_096;

/** A cache in which so many records were put, one after the other. */
function filled(count: number) {
  const cache = createRecordCache();
  for (let offset = 0; offset < count; offset += 1) cache.set(offset, { offset });
  return cache;
}

test('what was put in is found', () => {
  expect(filled(3).get(1)).toEqual({ offset: 1 });
  expect(filled(3).get(4)).toBeUndefined();
});

test('what was put in a generation ago is found', () => {
  expect(filled(2 * GENERATION).get(0)).toEqual({ offset: 0 });
});

test('what nobody asked for in two generations is forgotten', () => {
  const cache = filled(3 * GENERATION);
  const kept = Array.from({ length: 3 * GENERATION }, (_, offset) => cache.get(offset)).filter((record) => record !== undefined);
  expect(kept.length).toBeLessThanOrEqual(2 * GENERATION);
  expect(cache.get(0)).toBeUndefined();
});

test('what is asked for again and again stays', () => {
  const cache = filled(1);
  for (let offset = 1; offset < 10 * GENERATION; offset += 1) {
    cache.set(offset, { offset });
    expect(cache.get(0)).toEqual({ offset: 0 });
  }
});
