import { expect, it } from 'vitest';
import { createConnectionQueue } from '../../../src/node/transport/connection-queue.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function lineOf(atATime: number) {
  const lines = createConnectionQueue(atATime);
  const begun: string[] = [];
  const enter = (name: string, address = 'a') => {
    const begin = () => void begun.push(name);
    lines.enter(address, begin);
    return () => lines.leave(address, begin);
  };
  return { lines, begun, enter };
}

it('starts a limited number for each address, the others in their order', async () => {
  const { lines, begun, enter } = lineOf(2);
  for (const name of ['1', '2', '3', '4']) enter(name);
  enter('other', 'b');
  expect(begun).toEqual(['1', '2', 'other']);
  lines.ended('a');
  // A new entry does not overtake waiting ones.
  enter('5');
  await turn();
  expect(begun).toEqual(['1', '2', 'other', '3']);
  lines.ended('a');
  lines.ended('a');
  await turn();
  expect(begun).toEqual(['1', '2', 'other', '3', '4', '5']);
});

it('keeps a queue that was started again while the one before it ended', async () => {
  const { lines, begun, enter } = lineOf(2);
  enter('1');
  enter('2');
  // It ends as soon as it starts. Then the queue is empty, and starts again.
  lines.enter('a', () => {
    lines.ended('a');
    enter('4');
  });
  lines.ended('a');
  lines.ended('a');
  await turn();
  for (const name of ['5', '6']) enter(name);
  expect(begun).toEqual(['1', '2', '4', '5']);
  let isEmpty = false;
  void lines.emptied().then(() => {
    isEmpty = true;
  });
  await turn();
  expect(isEmpty).toBe(false);
  for (let count = 0; count < 2; count += 1) lines.ended('a');
  await turn();
  lines.ended('a');
  await turn();
  expect([begun, isEmpty]).toEqual([['1', '2', '4', '5', '6'], true]);
});

it('never starts a removed entry, and reports when it is empty', async () => {
  const { lines, begun, enter } = lineOf(1);
  enter('1');
  const leave = enter('2');
  const leaveLast = enter('3');
  let isEmpty = false;
  const emptied = lines.emptied().then(() => {
    isEmpty = true;
  });
  leave();
  lines.ended('a');
  leaveLast();
  await emptied;
  expect([begun, isEmpty]).toEqual([['1'], true]);
  enter('4');
  expect(begun).toEqual(['1', '4']);
  lines.ended('a');
  await lines.emptied();
});
