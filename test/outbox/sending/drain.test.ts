import { afterEach, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../src/core/errors/store-error.js';
import { betEvent } from '../../support/factories.js';
import { outboxWorld } from '../world.js';

const encryption = (id: string) => ({ keys: { [id]: new Uint8Array(32).fill(7) }, current: id });

/** The error with which a promise rejects. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );

afterEach(() => vi.unstubAllEnvs());

describe('drain without a limit', () => {
  it.each([
    ['a wrong key', { kind: 'status', status: 401 }, 'authentication', /paused \(authentication\).* HTTP 401/],
    ['a rate limit', { kind: 'status', status: 429, retryAfter: 3_600 }, 'rate-limited', /paused \(rate-limited\)/],
    ['a failing gateway', { kind: 'status', status: 503 }, 'gateway', /paused \(unavailable\).* HTTP 503/],
    ['another server', { kind: 'status', status: 405 }, 'configuration', /paused \(address\).* HTTP 405/],
  ] as const)('rejects some seconds after %s has stopped everything', async (_, fault, code, message) => {
    const { outbox, gateway, run, clock } = outboxWorld();
    await run(outbox.reportBetEvent(betEvent({ bet_id: 'B-1' })));
    await run(outbox.drain());
    gateway.faults.add({ ...fault, times: 1_000 });
    for (const bet_id of ['B-2', 'B-3']) await run(outbox.reportBetEvent(betEvent({ bet_id })));
    const began = clock.now();
    const error = await errorOf(run(outbox.drain()));
    expect(error).toMatchObject({ code, outcome: 'unknown', environment: 'staging' });
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain('The reports wait in the outbox.');
    expect(clock.now() - began).toBeGreaterThanOrEqual(10_000);
    expect(clock.now() - began).toBeLessThan(30_000);
    // It has stopped what it started, and nothing is lost.
    gateway.faults.clear();
    clock.advance(3_600_000);
    const { states } = await outbox.stats();
    expect(states).toMatchObject({ recorded: 1, waiting: 2, 'in-flight': 0 });
    expect(await run(outbox.drain())).toMatchObject({ drained: true, states: { recorded: 3 } });
  });

  it('rejects while the gateway is away', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
    const { outbox, run } = outboxWorld({ client: { fetch } });
    await run(outbox.reportBetEvent(betEvent()));
    const error = await errorOf(run(outbox.drain()));
    expect(error).toMatchObject({ code: 'network', message: expect.stringContaining('paused (unreachable)') });
  });

  it('rejects also for a pause that another process began', async () => {
    const { make, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 401, times: 1_000 });
    await run(make().reportBetEvent(betEvent()));
    await run(make().drain({ timeoutMs: 100 }));
    expect(await errorOf(run(make().drain()))).toMatchObject({ code: 'authentication' });
  });

  it.each([
    ['in mock mode', 'http://127.0.0.1:4010', /LOCATION_SDK_MOCK is set/],
    ['without a production gateway', '', /the production gateway is not set up/],
  ])('rejects for reports that a process %s does not send, and its worker says so once', async (_, mock, reason) => {
    const production = { baseUrl: 'https://gateway.example.com', apiKey: 'key' };
    const { outbox, store, events, run, clock } = outboxWorld({
      client: { environment: 'production', gateways: { production } },
    });
    await outbox.reportBetEvent(betEvent());
    vi.stubEnv('LOCATION_SDK_MOCK', mock);
    const other = outboxWorld({ clock, store, client: { gateways: { staging: production } } });
    const error = await errorOf(run(other.outbox.drain()));
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringMatching(reason) });
    expect(String(error)).toContain('Reports wait for production (account default)');
    const told = other.events.filter(([type]) => type === 'error');
    expect(told).toMatchObject([['error', { message: expect.stringMatching(reason) }]]);
    expect([other.sent, events.length]).toEqual([[], 1]);
    expect(await outbox.stats()).toMatchObject({ states: { waiting: 1 } });
  });

  it('rejects if the store cannot be read, also if it can be read again a moment later', async () => {
    const { outbox, store, run, gateway } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 503, times: 1_000 });
    await run(outbox.reportBetEvent(betEvent()));
    const lost = new StoreError('connection', 'The connection was lost.');
    vi.spyOn(store, 'counts').mockRejectedValueOnce(lost);
    expect(await errorOf(run(outbox.drain({ timeoutMs: 60_000 })))).toBe(lost);
  });

  it('rejects for an encryption key that is missing', async () => {
    const { make, run } = outboxWorld();
    await run(make({ encryption: encryption('a') }).reportBetEvent(betEvent()));
    const error = await errorOf(run(make({ encryption: encryption('b') }).drain()));
    expect(error).toMatchObject({ code: 'configuration' });
    expect(String(error)).toContain('the encryption key a is missing');
  });

  it('continues through a short pause, and while other reports leave', async () => {
    const { outbox, gateway, run, clock } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 503, times: 3 });
    await run(outbox.reportBetEvent(betEvent()));
    const began = clock.now();
    expect(await run(outbox.drain())).toMatchObject({ drained: true, states: { recorded: 1 } });
    expect(clock.now()).toBeGreaterThan(began);
  });

  it('waits for the end of a pause as long as timeoutMs says', async () => {
    const { outbox, gateway, run, clock } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 401, times: 1_000 });
    await run(outbox.reportBetEvent(betEvent()));
    const began = clock.now();
    expect(await run(outbox.drain({ timeoutMs: 90_000 }))).toMatchObject({
      drained: false,
      paused: [{ reason: 'authentication' }],
    });
    expect(clock.now() - began).toBeGreaterThanOrEqual(90_000);
    gateway.faults.clear();
    expect(await run(outbox.drain({ timeoutMs: Number.POSITIVE_INFINITY }))).toMatchObject({ drained: true });
  });
});
