import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, parseRetryAfter } from '../../../src/core/platform/time.js';
import { answer, bet, broken, lost, once, recorded, scripted, unreachable } from './scripted-gateway.js';

const NOW = 1_795_161_600_000;

describe('attempts', () => {
  it('are three by default', async () => {
    const { failure, sent } = scripted([lost(), lost(), lost()]);
    expect(await failure()).toMatchObject({ attempts: 3, outcome: 'unknown' });
    expect(sent).toHaveLength(3);
  });

  it('are one with a limit of 0', async () => {
    const { failure, sent } = scripted([unreachable()], once);
    expect(await failure()).toMatchObject({ attempts: 1 });
    expect(sent).toHaveLength(1);
  });

  it('send the same bytes', async () => {
    const { report, sent } = scripted([lost(), answer(503), recorded()]);
    await report();
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1);
  });

  it('read the key each time', async () => {
    const keys = ['first', 'second'];
    const { report, sent } = scripted([lost(), recorded()], {
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: async () => keys.shift() ?? 'none' } },
    });
    await report();
    expect(sent.map(({ init }) => (init.headers as Record<string, string>)['x-api-key'])).toEqual(['first', 'second']);
  });

  it('end with a refused certificate', async () => {
    const { failure, sent } = scripted([broken('DEPTH_ZERO_SELF_SIGNED_CERT')]);
    expect(await failure()).toMatchObject({ code: 'network', outcome: 'not-sent', retryable: false });
    expect(sent).toHaveLength(1);
  });
});

describe('the wait between attempts', () => {
  it('doubles, and the random factor is one half here', async () => {
    const { failure, clock } = scripted([lost(), lost(), lost(), lost(), lost(), lost(), lost()], {
      retry: { limit: 6 },
    });
    await failure();
    expect(clock.waits.filter((wait) => wait < 10_000)).toEqual([250, 500, 1000, 2000, 4000, 4000]);
  });

  it('has full jitter within its bounds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const wait = backoffMs(attempt, { baseMs: 500, capMs: 8000 }, () => random);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(Math.min(8000, 500 * 2 ** (attempt - 1)));
        },
      ),
    );
  });

  it('is never less than the backoff, for any Retry-After', async () => {
    const asks = (seconds: string) => answer(429, {}, { 'retry-after': seconds });
    const { failure, clock } = scripted([asks('0'), asks('1'), asks('1'), asks('1'), asks('1'), asks('1')], {
      retry: { limit: 5 },
    });
    await failure();
    expect(clock.waits.filter((wait) => wait < 10_000)).toEqual([250, 1000, 1000, 2000, 4000]);
  });

  it('is what Retry-After asks for, as a date, after a 503 too', async () => {
    const { report, clock } = scripted([
      answer(503, {}, { 'retry-after': new Date(NOW + 9000).toUTCString() }),
      recorded(),
    ]);
    await report();
    expect(clock.waits).toContain(9000);
  });

  it('does not start beyond maxRetryAfterMs: the call ends at once and says how long the gateway asks', async () => {
    const { failure, clock } = scripted([answer(429, {}, { 'retry-after': '31' })]);
    expect(await failure()).toMatchObject({
      code: 'rate-limited',
      outcome: 'rejected',
      retryable: true,
      retryAfterMs: 31_000,
      attempts: 1,
    });
    expect(clock.now()).toBe(NOW);
  });

  it('is the backoff if Retry-After is 0 or invalid', async () => {
    for (const header of ['0', 'soon', '-5', '1e3', '']) {
      const { report, clock } = scripted([answer(429, {}, { 'retry-after': header }), recorded()]);
      await report();
      expect(clock.waits).toContain(250);
    }
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['9'.repeat(400), 3e12],
    ['120', 120_000],
    // As limiters in front of a gateway send it, such as rate-limiter-flexible and express-rate-limit of old.
    ['299.997', 299_997],
    ['0.5', 500],
    ['1.0000001', 1001],
    ['30.', 30_000],
    ['.5', undefined],
    ['1.5.2', undefined],
    ['Sat Nov 21 12:00:00 2026', Date.UTC(2026, 10, 21, 12) - NOW],
    ['Saturday, 21-Nov-26 12:00:00 GMT', Date.UTC(2026, 10, 21, 12) - NOW],
    ['Sat, 21 Nov 2026 12:00:00 +0000', Date.UTC(2026, 10, 21, 12) - NOW],
    [' 3 ', 3000],
    [new Date(NOW + 5000).toUTCString(), 5000],
    [new Date(NOW - 5000).toUTCString(), 0],
    ['-1', undefined],
    ['2026-11-21', undefined],
    ['Infinity', undefined],
    [null, undefined],
  ])('reads %s as %s', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });
});

describe('time limits', () => {
  it('end an attempt whose headers never come', async () => {
    const { failure, clock } = scripted(['silence'], once);
    expect(await failure()).toMatchObject({ code: 'timeout', outcome: 'unknown', retryable: true });
    expect(clock.now() - NOW).toBe(10_000);
    expect(clock.pending).toBe(0);
  });

  it('end an attempt whose body never ends', async () => {
    const { failure, clock } = scripted(
      [new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) }))],
      once,
    );
    expect(await failure()).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    expect(clock.now() - NOW).toBe(10_000);
  });

  it('end a body that the platform does not give as a stream', async () => {
    const odd = {
      status: 200,
      headers: new Headers(),
      ok: true,
      text: () => new Promise<string>(() => {}),
    } as unknown as Response;
    expect(await scripted([odd], once).failure()).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  it('cancel the running request', async () => {
    const { failure, sent } = scripted(['silence'], once);
    await failure();
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  it('bound the whole call, attempts and waits together', async () => {
    const { failure, client, clock, sent } = scripted(['silence', 'silence', 'silence', 'silence'], {
      retry: { limit: 9 },
    });
    expect(await failure(client.reportSettledBet(bet, { timeoutMs: 25_000 }))).toMatchObject({
      code: 'timeout',
      outcome: 'unknown',
      attempts: 3,
    });
    // Two attempts of 10 s and two waits of 250 and 500 ms leave the third 4,250 ms.
    expect(sent).toHaveLength(3);
    expect(clock.now() - NOW).toBe(25_000);
  });

  it('ignore the late answer of an attempt', async () => {
    let answerLate: (response: Response) => void = () => {};
    const late = () => new Promise<Response>((resolve) => (answerLate = resolve));
    const { failure } = scripted([late], once);
    const error = await failure();
    answerLate(recorded());
    await new Promise((resolve) => setImmediate(resolve));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });
});

describe('an abort', () => {
  it('before anything was sent is certain', async () => {
    const { failure, client, sent } = scripted([]);
    expect(await failure(client.reportSettledBet(bet, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
      outcome: 'not-sent',
      attempts: 0,
    });
    expect(sent).toHaveLength(0);
  });

  it('after the request was sent leaves the outcome unknown', async () => {
    const controller = new AbortController();
    const abort = () => {
      controller.abort();
      return new Promise<Response>(() => {});
    };
    const { failure, client } = scripted([abort]);
    expect(await failure(client.reportSettledBet(bet, { signal: controller.signal }))).toMatchObject({
      code: 'aborted',
      outcome: 'unknown',
      attempts: 1,
    });
  });

  it('leaves no listener on the signal', async () => {
    const listeners = new Set<unknown>();
    const signal = {
      aborted: false,
      addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    };
    const { run, client } = scripted([lost(), recorded()]);
    await run(client.reportSettledBet(bet, { signal }));
    expect(listeners.size).toBe(0);
  });
});
