import { expect, test } from 'vitest';
import { createTurns } from '../../../pages/console/calls.js';

test('reads begin one after the other, and a failed one fails alone', async () => {
  const inTurn = createTurns();
  const seen: string[] = [];
  const read = (name: string, ends: () => void) =>
    inTurn(async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve));
      ends();
      seen.push(`${name} ends`);
    });
  const ended = await Promise.allSettled([
    read('first', () => {}),
    read('second', () => {
      throw new Error('unanswered');
    }),
    read('third', () => {}),
  ]);
  expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'third begins', 'third ends']);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
