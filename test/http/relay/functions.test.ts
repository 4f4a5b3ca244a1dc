import { afterEach, describe, expect, test, vi } from 'vitest';
import type { WebAbortSignal } from '../../../src/core/platform/web-types.js';
import { betUser } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { BET, gps, pageBet, pageRequest, relayWorld } from './world.js';

/** The functions that an operator passes to a relay: their order, their arguments, the time that they get. */

const never = () => new Promise<never>(() => {});
const throws = () => {
  throw new TypeError('99012345678 Okonkwo 102.89.23.47');
};

/** All work that waits for no timer and for no promise of the test has run. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

afterEach(() => vi.restoreAllMocks());

describe('the functions of the operator', () => {
  test('are called in their order, the body is read after limit, and each gets its arguments', async () => {
    const native = { session: 'of the framework' };
    const calls: unknown[] = [];
    const request = pageRequest();
    const { send } = relayWorld({
      authorize: (given, { operation, native, signal }) => {
        calls.push(['authorize', given === request, request.bodyUsed, operation, native, signal.aborted]);
        return { session: 'ada', user: betUser() };
      },
      limit: ({ session }, operation) => {
        calls.push(['limit', request.bodyUsed, session, operation]);
        return false;
      },
      complete: (event, { player, operation, native, signal }) => {
        calls.push(['complete', request.bodyUsed, event, player.session, operation, native, signal.aborted]);
        return { amount: 7 };
      },
      onReceipt: ({ reference }, { operation, player, event }) =>
        void calls.push(['onReceipt', reference, operation, player.session, event.amount]),
      onError: () => void calls.push('onError'),
    });
    expect((await send(request, { remoteAddress: '102.89.23.47', native })).status).toBe(200);
    expect(calls).toEqual([
      ['authorize', true, false, 'reportBetEvent', native, false],
      ['limit', false, 'ada', 'reportBetEvent'],
      ['complete', true, pageBet(), 'ada', 'reportBetEvent', native, false],
      ['onReceipt', 'BET-1', 'reportBetEvent', 'ada', 7],
    ]);
  });

  test('onError gets the error, and what onReceipt would get', async () => {
    const told: unknown[] = [];
    const { send, gateway } = relayWorld({
      onReceipt: () => void told.push('onReceipt'),
      onError: ({ code }, { operation, player, event }) =>
        void told.push([code, operation, player.session, event.bet_id]),
    });
    gateway.faults.add({ kind: 'status', status: 422 });
    expect((await send()).status).toBe(422);
    expect(told).toEqual([['unprocessable', 'reportBetEvent', 'ada', 'BET-1']]);
  });

  test('onReceipt may change its receipt: the page gets what was recorded, also for a repeat', async () => {
    const { send } = relayWorld({
      onReceipt: (receipt) => {
        Object.assign(receipt, { reference: 'changed' });
        if (receipt.location) receipt.location.latitude = 0;
      },
    });
    const body = pageBet({ location: gps() });
    for (const outcome of ['recorded', 'already-recorded'])
      expect((await send({ body })).body).toMatchObject({ outcome, reference: 'BET-1', location: gps() });
  });

  test.each(['onReceipt', 'onError'] as const)('%s has ended before the page gets its answer', async (name) => {
    let end = () => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { send, gateway } = relayWorld({
      [name]: () => {
        begin();
        return work;
      },
    });
    if (name === 'onError') gateway.faults.add({ kind: 'status', status: 422 });
    let isAnswered = false;
    const sent = send().finally(() => {
      isAnswered = true;
    });
    await begun;
    await settle();
    expect(isAnswered).toBe(false);
    end();
    expect((await sent).status).toBe(name === 'onError' ? 422 : 200);
  });

  test.each([throws, never])('onError that fails changes no answer, and is logged', async (onError) => {
    const clock = new FakeClock();
    const { send, gateway, lines } = relayWorld({ clock, onError, hookTimeoutMs: 500 });
    gateway.faults.add({ kind: 'status', status: 422 });
    const { status, body } = await clock.run(send());
    expect([status, body.error.code]).toEqual([422, 'unprocessable']);
    expect(lines.join('\n')).toMatch(/the option onError (?:threw TypeError|did not answer in time)/);
    expect(lines.join('\n')).not.toContain('Okonkwo');
  });

  test('complete may not rename the report of a page, since the page would never learn its end', async () => {
    const { send, gateway, lines } = relayWorld({ complete: () => ({ bet_id: 'OWN-1' }) });
    expect((await send()).body.error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
    expect(lines.join()).toContain('the option complete must leave the bet_id of the page as it is');
    expect(gateway.requests()).toEqual([]);
  });

  test.each(['authorize', 'complete'])(
    'the signal of %s is aborted when its time is over, and the log has the id of the answer',
    async (name) => {
      const clock = new FakeClock();
      let signal: WebAbortSignal | undefined;
      const hanging = (_: unknown, call: { signal: WebAbortSignal }) => {
        signal = call.signal;
        return never();
      };
      const { send, lines } = relayWorld({ clock, hookTimeoutMs: 500, [name]: hanging });
      const { status, text } = await clock.run(send());
      expect([status, signal?.aborted]).toEqual([500, true]);
      const id = /\((\w{16})\)/.exec(text)?.[1] ?? 'none';
      expect(lines).toContain(`${id}: the option ${name} did not answer in time`);
    },
  );

  test('never see a request whose body was read before, and the log says why', async () => {
    const asked: string[] = [];
    const { send, lines, gateway } = relayWorld({ complete: () => void asked.push('complete') });
    const request = pageRequest();
    await request.text();
    const { status, body } = await send(request);
    expect([status, body.error.code, body.error.outcome]).toEqual([500, 'configuration', 'not-sent']);
    expect(lines.join('\n')).toContain('the request body was read before the relay');
    expect([asked, gateway.requests()]).toEqual([[], []]);
  });
});

describe('the environment', () => {
  test("is the client's, if the relay names none", async () => {
    const { send, gateway } = relayWorld({}, { environment: 'production' });
    expect((await send()).body.environment).toBe('production');
    expect([gateway.reports('staging').length, gateway.reports('production').length]).toEqual([0, 1]);
  });
});

describe('the log', () => {
  /** The lines that the console prints, each with its level. */
  function printed() {
    const lines: string[] = [];
    for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((line) => void lines.push(`${level} ${line}`));
    return lines;
  }

  test('is the console by default, for warnings and errors only', async () => {
    const lines = printed();
    const world = (options: object) => relayWorld({ logger: undefined, ...options });
    await world({ authorize: () => null }).send();
    expect(lines).toEqual([]);
    await world({ authorize: throws }).send();
    await world({ complete: throws }).send();
    expect(lines).toEqual([
      expect.stringMatching(/^warn location-sdk relay: the option authorize threw/),
      expect.stringMatching(/^error location-sdk relay: [a-p]{16}: the option complete threw/),
    ]);
  });

  test.each([
    ['401', { cookie: '' }, {}],
    ['403', {}, { complete: () => null }],
    ['403', { origin: 'null' }, {}],
    ['403', { 'x-location-sdk': '' }, {}],
  ])('gets the reason of a bare %s at the level debug: %j', async (status, headers, options) => {
    const reasons: string[] = [];
    const logger = { debug: (line: string) => void reasons.push(line) };
    expect((await relayWorld({ ...options, logger }).send({ headers })).status).toBe(Number(status));
    expect(reasons).toEqual([expect.stringMatching(/^refused: /)]);
  });
});

describe('never rejects', () => {
  const hostile = (name: string) => Object.defineProperty(pageRequest(), name, { get: throws });

  test.each<[string, number, unknown]>([
    ['nothing', 500, undefined],
    ['an object that is not a request', 500, { url: BET, method: 'POST' }],
    ['a request whose address throws', 500, hostile('url')],
    ['a request whose headers throw', 500, hostile('headers')],
    ['a request whose body throws', 400, hostile('body')],
  ])('for %s: it answers %i', async (_, status, request) => {
    const { relay, gateway, lines } = relayWorld();
    const answer = (await relay(request as Request, { remoteAddress: '102.89.23.47' })) as Response;
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error.outcome]).toEqual([status, 'not-sent']);
    expect(gateway.requests()).toEqual([]);
    expect(text + lines.join()).not.toMatch(/Okonkwo|102\.89/);
  });

  test('if the logger throws', async () => {
    const logger = { debug: throws, info: throws, warn: throws, error: throws };
    expect((await relayWorld({ logger, complete: throws }).send()).status).toBe(500);
    expect((await relayWorld({ logger }).send({}, {})).status).toBe(503);
  });
});
