import { describe, expect, it, vi } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { createClient } from '../../../src/entries/index.js';
import { polluted } from '../../polluted.js';
import { betEvent } from '../../support/factories.js';
import { answer, bet, lost, once, recorded, repeated, scripted } from './scripted-gateway.js';
import { byTransport } from './wire.js';

describe("an operator's own words within the gateway's", () => {
  const own = { ...bet, outcome: 'DUPLICATE' };

  it('are not taken for a duplicate', async () => {
    const { client, failure } = scripted([
      lost(),
      answer(422, { message: 'outcome must be WIN or LOSE; got DUPLICATE' }),
    ]);
    expect(await failure(client.reportSettledBet(own))).toMatchObject({ code: 'unprocessable', outcome: 'unknown' });
  });

  it('are not taken for a conflict', async () => {
    const { client, run } = scripted([lost(), answer(409, { message: 'Already reported: bet other data-1' })]);
    expect(await run(client.reportSettledBet({ ...bet, bet_id: 'other data-1' }))).toMatchObject({
      outcome: 'already-recorded',
    });
  });
});

describe("the caller's own functions that fail", () => {
  it.each<[string, ClientOptions]>([
    ['random', { random: fails }],
    ['isDuplicate, asynchronous by mistake', { isDuplicate: (async () => fails()) as never, logger: {} }],
  ])('%s: the report stays in doubt and can be sent again', async (_, options) => {
    const { client, run, failure } = scripted([lost(), repeated(), repeated()], { retry: { limit: 1 }, ...options });
    const error = await failure();
    expect(error.outcome).toBe('unknown');
    const careful = scripted([repeated()], once);
    expect(await careful.run(careful.client.resend(error))).toMatchObject({ outcome: 'already-recorded' });
    expect([client, run]).toHaveLength(2);
  });

  it('a clock that throws once the request was sent does not make the report certain', async () => {
    const time = { now: () => 0, setTimeout: () => 0, clearTimeout() {} };
    const fetch = async () => {
      time.now = fails;
      return answer(503);
    };
    const client = createClient({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'k' } },
      clock: time,
      ...byTransport(fetch),
    });
    await expect(client.reportSettledBet(bet)).rejects.toMatchObject({
      code: 'configuration',
      outcome: 'unknown',
      attempts: 1,
    });
  });

  it('a signal whose listener cannot be removed does not end the process when the time is over', async () => {
    const signal = { aborted: false, addEventListener() {}, removeEventListener: fails };
    const { client, failure } = scripted(['silence'], once);
    expect(await failure(client.reportSettledBet(bet, { signal }))).toMatchObject({
      code: 'timeout',
      outcome: 'unknown',
    });
  });

  it.each(['addEventListener', 'removeEventListener'] as const)(
    'a signal whose %s throws neither hangs nor loses the outcome',
    async (method) => {
      const signal = { aborted: false, addEventListener() {}, removeEventListener() {}, [method]: fails };
      const { client, clock } = scripted([recorded()]);
      const settled = await clock.run(
        client.reportSettledBet(bet, { signal }).then(
          (receipt) => receipt.outcome,
          (error: { code: string }) => error.code,
        ),
      );
      expect(['recorded', 'configuration']).toContain(settled);
    },
  );

  it('a clock that calls back at once ends the call in time, with nothing sent and no listener left', async () => {
    const clock = { now: () => 0, setTimeout: (callback: () => void) => callback(), clearTimeout() {} };
    const fetch = vi.fn(async () => recorded());
    const client = createClient({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'k' } },
      clock,
      ...byTransport(fetch),
    });
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await expect(client.reportSettledBet(bet, { signal })).rejects.toMatchObject({ code: 'timeout' });
    expect(fetch).not.toHaveBeenCalled();
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });

  it('a logger that fails later does not end the process', async () => {
    const logger = { debug: (async () => fails()) as never };
    expect(await scripted([lost(), recorded()], { logger }).report()).toMatchObject({ outcome: 'recorded' });
  });

  it('an array with its own iterator is read by its length', async () => {
    const endless = [1];
    endless[Symbol.iterator] = function* () {
      for (;;) yield 1;
    };
    const { client, failure } = scripted([]);
    expect(await failure(client.reportSettledBet({ ...bet, ur: endless as never }))).toMatchObject({
      code: 'validation',
      issues: [{ path: 'ur' }],
    });
  });

  it('an object with its own name for itself is not quoted', async () => {
    const telling = { [Symbol.toStringTag]: '99012345678 Adaeze' };
    const { client, failure } = scripted([]);
    expect((await failure(client.reportSettledBet({ ...bet, ur: telling as never }))).message).not.toContain('Adaeze');
  });
});

describe('an endless answer', () => {
  it('in empty pieces is ended by its limit', async () => {
    const empty = new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(0)) }));
    const client = createClient({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'k' } },
      ...byTransport(async () => empty),
      // Long enough for a busy machine.
      attemptTimeoutMs: 500,
      ...once,
    });
    await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  it('that comes after its time is not read', async () => {
    let pulls = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      pulls += 1;
      controller.enqueue(new Uint8Array(1));
    };
    let answerLate: (response: Response) => void = () => {};
    const { failure } = scripted([() => new Promise((resolve) => (answerLate = resolve))], once);
    await failure();
    answerLate(new Response(new ReadableStream({ pull })));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(pulls).toBeLessThan(5);
  });
});

describe('a prototype that a library polluted', () => {
  const pollute = (name: string, value: unknown) =>
    Object.defineProperty(Object.prototype, name, { value, configurable: true });

  it.each<[string, unknown]>([
    ['environment', 'production'],
    ['location', { latitude: 1, longitude: 1 }],
    ['toJSON', () => ({ evil: 1 })],
  ])('with %s changes nothing of a report', async (name, value) => {
    const { client, run, sent } = scripted([recorded()]);
    pollute(name, value);
    try {
      await run(client.reportSettledBet(bet));
    } finally {
      Reflect.deleteProperty(Object.prototype, name);
    }
    expect(sent[0]?.url).toContain('https://gateway.example.com/');
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual(bet);
  });

  it('with an enumerable member refuses no location', async () => {
    const { client, run, sent } = scripted([recorded()]);
    await polluted(
      { each: () => {} },
      () => run(client.reportBetEvent(betEvent(), { location: { latitude: 6.5, longitude: 3.3, source: 'gps' } })),
      {
        enumerable: true,
      },
    );
    expect(JSON.parse(String(sent[0]?.init.body)).location).toEqual({ latitude: 6.5, longitude: 3.3, source: 'gps' });
  });

  it('with a field does not complete a payload', async () => {
    const { ggr: _, ...incomplete } = bet;
    const { client, failure } = scripted([]);
    pollute('ggr', 7);
    try {
      expect(await failure(client.reportSettledBet(incomplete as typeof bet))).toMatchObject({
        code: 'validation',
        issues: [{ path: 'ggr' }],
      });
    } finally {
      Reflect.deleteProperty(Object.prototype, 'ggr');
    }
  });

  it('with an option does not open a guard', () => {
    pollute('allowInsecureHttp', true);
    try {
      expect(() =>
        createClient({ gateways: { staging: { baseUrl: 'http://gateway.example.com', apiKey: 'k' } } }),
      ).toThrow('https://');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'allowInsecureHttp');
    }
  });
});

function fails(): never {
  throw new Error('a bug of the caller');
}
