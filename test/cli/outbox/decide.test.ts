import { expect, it } from 'vitest';
import { resolve } from '../../../src/cli/outbox/decide.js';
import { withTerminal } from '../../../src/cli/output.js';
import type { OutboxStore } from '../../../src/entries/outbox.js';
import { createOperator } from '../../../src/operator/operator.js';
import { claim, newRow, QUARANTINED, read, write } from '../../outbox/contract/harness.js';
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

it('ends with 1 if a report was decided otherwise after it was counted', async () => {
  const store = await storeWithConsole();
  await store.enqueue(['B-1', 'B-2'].map((reference) => newRow(reference)));
  const problem = { code: 'unprocessable', message: 'B: no', status: 422 } as const;
  for (const row of await claim(store, 2)) await write(store, row, { ...QUARANTINED, problem });
  const stream = { write: () => true };
  const command = 'location-sdk outbox bets.db';
  const operator = createOperator({ over: store, command });
  const colleague = { decision: 'a-colleague', who: 'Ada', reason: 'mended', action: 'retry' } as const;
  const view = {
    store,
    operator: {
      ...operator,
      async preview(...call: Parameters<typeof operator.preview>) {
        const counted = await operator.preview(...call);
        await operator.decide({ ...colleague, selection: { ids: [newRow('B-1').id] } });
        return counted;
      },
    },
    command,
    now: 0,
  };
  const values = { all: true, as: 'dismissed', code: problem.code, reason: 'test bets', yes: true };
  const code = await withTerminal({ stdout: stream, stderr: stream } as never, () =>
    resolve(view, values as never, []),
  );
  expect([code, (await read(store, newRow('B-2').id)).state]).toEqual([1, 'dismissed']);
});
