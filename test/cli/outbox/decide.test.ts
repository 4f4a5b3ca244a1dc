import { expect, it } from 'vitest';
import { resolve } from '../../../src/cli/outbox/decide.js';
import { withTerminal } from '../../../src/cli/output.js';
import type { OutboxStore } from '../../../src/entries/outbox.js';
import { createOperator } from '../../../src/operator/operator.js';
import { claim, newRow, QUARANTINED, write } from '../../outbox/contract/harness.js';
import { storeWithConsole } from '../../outbox/world.js';

it('prints what is decided, although a later commit of the decision fails', async () => {
  const references = Array.from({ length: 101 }, (_, index) => `B-${index}`);
  const store = await storeWithConsole();
  await store.enqueue(references.map((reference) => newRow(reference)));
  for (const row of await claim(store, references.length)) await write(store, row, QUARANTINED);
  const own = store.operator;
  if (!own) throw new Error('The store offers the console nothing.');
  let steps = 0;
  const failing: OutboxStore = {
    ...store,
    operator: {
      ...own,
      async step(step) {
        steps += 1;
        if (steps > 1) throw new Error('The disk is full.');
        return own.step(step);
      },
    },
  };
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text) };
  const command = 'location-sdk outbox bets.db';
  const view = { store: failing, operator: createOperator({ over: failing, command }), command, now: 0 };
  const values = { as: 'dismissed', reason: 'test bets' };
  await expect(
    withTerminal({ stdout: stream, stderr: stream } as never, () => resolve(view, values as never, references)),
  ).rejects.toThrow('The disk is full.');
  expect(lines.filter((line) => line.endsWith('is dismissed\n'))).toHaveLength(100);
});
