import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, memoryStore, type OutboxStore } from '../../src/entries/outbox.js';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { betEvent } from '../support/factories.js';
import { FAKES, TIMERS, useRealTimers, worksUnderFakes } from './fake-timers.js';

afterEach(useRealTimers);

/** `vi.waitFor` would move the time on. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}

const STORES: readonly [name: string, open: () => Promise<OutboxStore>][] = [
  ['memory', async () => memoryStore()],
  ['SQLite', () => sqliteStore({ file: ':memory:' })],
];

describe.each(FAKES)('under %s', (_, install) => {
  test('reports and questions are answered', async () => {
    install();
    const client = createClient(createMockGateway().clientOptions());
    expect(await client.reportBetEvent(betEvent())).toMatchObject({ outcome: 'recorded' });
    expect(await client.verifyNin('99012345678')).toMatchObject({ success: true });
  });

  test.each(STORES)('an outbox over %s takes, sends, drains and stops', (_name, open) =>
    worksUnderFakes(open, install),
  );
});

test('a retry waits until the test moves the time on', async () => {
  const gateway = createMockGateway();
  gateway.faults.add({ kind: 'status', status: 503 });
  const client = createClient({ ...gateway.clientOptions(), random: () => 0.9 });
  vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance'] });
  let ended = false;
  const report = client.reportBetEvent(betEvent()).finally(() => {
    ended = true;
  });
  await until(() => gateway.requests().length === 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await report).toMatchObject({ outcome: 'recorded', attempts: 2 });
});

test('a report of another outbox is found after pollMs of the time of the test', async () => {
  vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance'] });
  const gateway = createMockGateway();
  const parts = { client: createClient(gateway.clientOptions()), store: memoryStore() };
  const worker = createOutbox(parts);
  worker.start();
  await vi.advanceTimersByTimeAsync(5_000);
  await createOutbox(parts).reportBetEvent(betEvent());
  await vi.advanceTimersByTimeAsync(100);
  expect(gateway.requests()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  await until(() => gateway.reports().length === 1);
  await worker.stop();
});

test('a retry of an outbox waits until the test moves the time on', async () => {
  vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance'] });
  const gateway = createMockGateway();
  gateway.faults.add({ kind: 'status', status: 500 });
  const client = createClient({ ...gateway.clientOptions(), random: () => 0.9 });
  const outbox = createOutbox({ client, store: memoryStore() });
  outbox.start();
  const { done } = await outbox.reportBetEvent(betEvent());
  await until(() => gateway.requests().length === 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(gateway.requests()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await done).toMatchObject({ outcome: 'recorded', attempts: 2 });
  await outbox.stop();
});

// With a queueMicrotask that is faked in its own realm, Node.js itself reads no Request and no Response.
test.each(STORES)('over %s a report is also taken with a faked queueMicrotask, as in Jest', async (_, open) => {
  const store = await open();
  vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance', 'queueMicrotask'] });
  const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
  expect(await outbox.reportBetEvent(betEvent())).toMatchObject({ state: 'waiting' });
});
