// @module-tag slow: starts processes and kills them.
import { once } from 'node:events';
import { beforeAll, describe, it, vi } from 'vitest';
import type { FaultRule } from '../../../src/entries/mock.js';
import { serve } from '../../../src/entries/node.js';
import { newFile, openStore } from '../../outbox/stores/sqlite/files.js';
import { expectFreshBuild } from '../../support/built.js';
import { startNode } from '../../support/run.js';

beforeAll(expectFreshBuild);

/** Runs the process until its attempt has reached the gateway, sends the signals, and returns how it ended. */
async function signalled({
  options = {},
  signals = ['SIGTERM'],
  apartMs = 0,
  fault,
}: {
  options?: object;
  signals?: readonly NodeJS.Signals[];
  /** The time between two signals. */
  apartMs?: number;
  fault: Partial<FaultRule>;
}) {
  const server = await serve();
  server.gateway.faults.add({ kind: 'latency', when: 'after', ...fault });
  const file = newFile();
  const child = startNode(['test/http/node/stop-on-signals.js', file, JSON.stringify(options)], {
    LOCATION_SDK_MOCK: server.url,
  });
  let output = '';
  const listen = (chunk: unknown) => {
    output += chunk;
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  const closed = once(child, 'close');
  await vi.waitUntil(() => server.gateway.reports().length === 1, { timeout: 15_000 });
  for (const [index, signal] of signals.entries()) {
    // The first one is handled before the second one comes.
    if (index > 0) {
      await vi.waitUntil(() => output.includes('before'), { timeout: 15_000 });
      await new Promise((resolve) => setTimeout(resolve, apartMs));
    }
    child.kill(signal);
  }
  const [code, by] = await closed;
  await server.close();
  const store = await openStore(file);
  const [row] = await store.list({ limit: 1 });
  await store.close?.();
  return { code, by, output, row };
}

// Each test waits for its own process, and most of the time is waiting.
describe.concurrent('a process that is asked to end', () => {
  const timeout = 30_000;

  it('lets its attempt end, and then ends with 0, for any stopTimeoutMs', { tags: 'slice', timeout }, async ({
    expect,
  }) => {
    const { code, output, row } = await signalled({ options: { stopTimeoutMs: 10 }, fault: { delay: 1_500 } });
    expect({ code, output }).toEqual({ code: 0, output: 'before\nrecorded BET-1\nafter\n' });
    expect(row).toMatchObject({ state: 'recorded' });
  });

  it.for(['SIGTERM', 'SIGINT'] as const)(
    'has 8 seconds after %s without other options: 6 for attempts, and 2 to store their results',
    { timeout },
    async (signal, { expect }) => {
      const { code, output } = await signalled({ options: { tells: true }, signals: [signal], fault: { delay: 10 } });
      const [, stop = ''] = /^before\nstop within (\d+)\n/m.exec(output) ?? [];
      expect(code).toBe(0);
      expect(Number(stop)).toBeGreaterThan(4_000);
      expect(Number(stop)).toBeLessThanOrEqual(6_000);
    },
  );

  it('leaves a report in doubt if its attempt takes too long', { timeout }, async ({ expect }) => {
    const { code, output, row } = await signalled({ options: { timeoutMs: 3_000 }, fault: { kind: 'hang' } });
    expect({ code, output }).toEqual({ code: 0, output: 'before\nafter\n' });
    expect(row).toMatchObject({ state: 'waiting', inDoubt: true, body: expect.any(String) });
  });

  it.for([
    ['SIGINT', 'SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGTERM'],
  ] as const)(
    'lets its attempt end if one stop arrives as several signals: %s',
    { timeout },
    async (signals, { expect }) => {
      const { code, output, row } = await signalled({ signals, apartMs: 300, fault: { delay: 1_500 } });
      expect({ code, output }).toEqual({ code: 0, output: 'before\nrecorded BET-1\nafter\n' });
      expect(row).toMatchObject({ state: 'recorded' });
    },
  );

  it("ends at once at a second signal, with that signal's number", { timeout }, async ({ expect }) => {
    const { code, output, row } = await signalled({
      signals: ['SIGTERM', 'SIGINT'],
      apartMs: 2_100,
      fault: { kind: 'hang' },
      options: { timeoutMs: 60_000 },
    });
    expect({ code, output }).toEqual({ code: 130, output: 'before\n' });
    expect(row).toMatchObject({ state: 'in-flight', inDoubt: true });
  });

  it('stops the outbox although an intake does not end, and says so', { timeout }, async ({ expect }) => {
    const { code, output, row } = await signalled({
      options: { timeoutMs: 4_000, hangs: 'beforeStop' },
      fault: { delay: 2_500 },
    });
    expect(code).toBe(1);
    expect(output).toContain('location-sdk: beforeStop: not done within 2000 ms\n');
    expect(output).toContain('recorded BET-1\nafter\n');
    expect(row).toMatchObject({ state: 'recorded' });
  });

  it('ends with 1 if afterStop fails, and says why', { timeout }, async ({ expect }) => {
    const { code, output } = await signalled({ options: { hangs: 'afterStop' }, fault: { delay: 10 } });
    expect(code).toBe(1);
    expect(output).toContain('location-sdk: afterStop: failed with Error 23505\n');
    expect(output).not.toContain('99012345678');
  });

  it('is killed by a signal without a listener', { timeout }, async ({ expect }) => {
    const { code, by } = await signalled({ options: { signals: ['SIGHUP'] }, fault: { kind: 'hang' } });
    expect([code, by]).toEqual([null, 'SIGTERM']);
  });

  it('releases a shared resource after the last of its outboxes', { timeout }, async ({ expect }) => {
    const { code, output } = await signalled({ options: { together: true }, fault: { delay: 1_500 } });
    expect({ code, output }).toEqual({ code: 0, output: 'before\nrecorded BET-1\nafter\n' });
  });

  it('has one call, which takes all outboxes', { timeout }, async ({ expect }) => {
    const { output } = await signalled({ options: { beside: true }, fault: { delay: 10 } });
    expect(output).toContain('stopOnSignals is called already: pass all outboxes to one call, as a list.');
  });
});
