import { mock } from 'node:test';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, memoryStore, type OutboxStore } from '../../src/entries/outbox.js';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { betEvent } from '../support/factories.js';

afterEach(() => {
  vi.useRealTimers();
  mock.timers.reset();
});

type Faked = NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake']>[number];
const TIMERS: Faked[] = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
];

/** The fakes that a test may install before it calls anything. No test moves its time. */
const FAKES: readonly [name: string, install: () => unknown][] = [
  ['the fakes of vitest', () => vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance'] })],
  ['the fakes of node:test', () => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] })],
];
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

  test.each(STORES)('an outbox over %s takes, sends, drains and stops', async (_name, open) => {
    const store = await open();
    install();
    const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
    outbox.start();
    const { done } = await outbox.reportBetEvent(betEvent());
    expect(await done).toMatchObject({ outcome: 'recorded' });
    const many = Array.from({ length: 20 }, (_each, index) =>
      outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` })),
    );
    await Promise.all(many);
    expect(await outbox.drain()).toMatchObject({ drained: true });
    await outbox.stop();
  });
});

// With a queueMicrotask that is faked in its own realm, Node.js itself reads no Request and no Response.
test.each(STORES)('over %s a report is also taken with a faked queueMicrotask, as in Jest', async (_, open) => {
  const store = await open();
  vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance', 'queueMicrotask'] });
  const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
  expect(await outbox.reportBetEvent(betEvent())).toMatchObject({ state: 'waiting' });
});
