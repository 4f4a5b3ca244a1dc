import { expect, it, onTestFinished, vi } from 'vitest';
import { createOperator } from '../../src/operator/operator.js';
import { createOutboxEvents } from '../../src/outbox/events.js';
import { claimed, unchanged } from '../../src/outbox/rules/state-machine.js';
import { markInDoubtAfterRestore, readWentBack } from '../../src/outbox/sending/restored-database.js';
import type { OutboxStore } from '../../src/outbox/store/store.js';
import { newRow, read } from '../outbox/contract/harness.js';
import { newFile, openStore } from '../outbox/stores/sqlite/files.js';
import { runCli } from '../support/cli-in-process.js';
import { idOf } from './world.js';

/** A worker has the result of a report that the store does not know. */
async function goBack(store: OutboxStore): Promise<string[]> {
  const events = createOutboxEvents();
  const codes: string[] = [];
  events.on('error', ({ code }) => codes.push(`${code}`));
  const stored = await read(store, idOf('B-1'));
  const row = { ...stored, ...claimed(stored) };
  const change = { ...unchanged(stored), state: 'recorded', outcome: 'recorded' } as const;
  const waiters = { tell: () => {} };
  await markInDoubtAfterRestore([{ row, change }], [undefined], { store, leaseMs: 1_000, events, waiters });
  return codes;
}

it('a database that lost commits is an event, a line of stats, a tile and a line of the decisions', async () => {
  const file = newFile();
  const store = await openStore(file);
  await store.enqueue([newRow('B-1')]);
  const operator = createOperator({ over: store });
  expect(await operator.overview()).toMatchObject({ wentBackAt: null });
  expect((await runCli(['outbox', file])).out).not.toContain('lost commits');
  expect(JSON.parse((await runCli(['outbox', file, 'stats', '--json'])).out)).toMatchObject({ wentBackAt: null });

  expect(await goBack(store)).toEqual(['went-back']);
  const at = await readWentBack(store.operator);
  expect(await operator.overview()).toMatchObject({ wentBackAt: at });
  expect((await runCli(['outbox', file])).out).toMatch(
    /^The database had lost commits at \d{4}-.* UTC: follow the guide for a failover .*\n {2}npx location-sdk outbox \S+ verify --head </m,
  );
  expect(JSON.parse((await runCli(['outbox', file, 'stats', '--json'])).out)).toMatchObject({ wentBackAt: at });

  // Each process that finds it keeps the same line, with the reports of the first.
  expect(await goBack(store)).toEqual(['went-back']);
  const { decisions } = await operator.decisions({ action: 'went-back' });
  expect(decisions).toMatchObject([{ who: 'the outbox', about: { ids: [idOf('B-1')] }, at, done: true }]);
  await store.close?.();
});

it('a second loss of the same day has its own line, and its time is shown', async () => {
  const store = await openStore(newFile());
  await store.enqueue([newRow('B-1')]);
  const { operator } = store;
  if (!operator) throw new Error('a store with an operator: expected one');
  const noon = Date.parse('2026-11-28T12:00:00Z');
  vi.useFakeTimers({ now: noon, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const shown: (number | undefined)[] = [];
  // In minutes. Another process finds the first loss four minutes later.
  for (const minute of [0, 4, 17, 18, 300, 24 * 60]) {
    vi.setSystemTime(noon + minute * 60_000);
    await goBack(store);
    shown.push(await readWentBack(operator));
  }
  expect(shown.map((at = 0) => (at - noon) / 60_000)).toEqual([0, 0, 17, 17, 300, 24 * 60]);
  const { decisions } = await createOperator({ over: store }).decisions({ action: 'went-back' });
  expect(decisions.map(({ id, at }) => [id, (at - noon) / 60_000])).toEqual([
    ['went-back-2026-11-29', 24 * 60],
    ['went-back-2026-11-28-3', 300],
    ['went-back-2026-11-28-2', 17],
    ['went-back-2026-11-28', 0],
  ]);
  await store.close?.();
});

it('it is told for two days, and a store that fails meanwhile stops nothing', async () => {
  const store = await openStore(newFile());
  await store.enqueue([newRow('B-1')]);
  await goBack(store);
  const { operator } = store;
  if (!operator) throw new Error('a store with an operator: expected one');
  const now = await operator.now();
  const after = (days: number) => readWentBack({ ...operator, now: async () => now + days * 86_400_000 });
  expect([await after(1), await after(2)]).toEqual([await after(0), undefined]);
  expect(await readWentBack(undefined)).toBeUndefined();
  const begin = () => Promise.reject(new Error('the disk is away'));
  expect(await goBack({ ...store, operator: { ...operator, begin } })).toEqual(['went-back']);
  await store.close?.();
});
