import { mock } from 'node:test';
import { expect, vi } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, type OutboxStore } from '../../src/entries/outbox.js';
import { betEvent } from '../support/factories.js';

type Faked = NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake']>[number];
export const TIMERS: readonly Faked[] = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
];

/** The fakes that a test may install before it calls anything. No test moves its time. */
export const FAKES: readonly [name: string, install: () => unknown][] = [
  ['the fakes of vitest', () => vi.useFakeTimers({ toFake: [...TIMERS, 'Date', 'performance'] })],
  ['the fakes of node:test', () => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] })],
];

export function useRealTimers(): void {
  vi.useRealTimers();
  mock.timers.reset();
}

/** An outbox takes, sends, drains and stops, although no timer ends. */
export async function worksUnderFakes(open: () => Promise<OutboxStore>, install: () => unknown): Promise<void> {
  const store = await open();
  install();
  const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
  outbox.start();
  const { done } = await outbox.reportBetEvent(betEvent());
  expect(await done).toMatchObject({ outcome: 'recorded' });
  const many = Array.from({ length: 20 }, (_each, index) => outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` })));
  await Promise.all(many);
  expect(await outbox.drain()).toMatchObject({ drained: true });
  await outbox.stop();
}
