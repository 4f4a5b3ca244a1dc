import { describe, expect, test } from 'vitest';
import type { FaultKind, FaultRule } from '../../../src/entries/mock.js';
import { world } from './world.js';

/** The effect of one fault on one bet: its answer, and whether it is recorded. */
async function struck(rule: FaultRule) {
  const { gateway, clock, send } = world();
  gateway.faults.add(rule);
  const began = clock.now();
  const looks = await clock.run(
    send().then(
      async (answer) => {
        const text = await answer
          .text()
          .catch((error: Error) => `${error.message}: ${(error.cause as { code: string }).code}`);
        return { status: answer.status, type: answer.headers.get('content-type')?.split(';')[0], text };
      },
      (error: Error) => ({
        thrown: error.name,
        message: error.message,
        cause: (error.cause as { code?: string } | undefined)?.code,
      }),
    ),
  );
  const [entry] = gateway.requests();
  return {
    ...looks,
    took: clock.now() - began,
    recorded: gateway.reports().length,
    journal: { applied: entry?.applied, fault: entry?.fault, status: entry?.status },
  };
}

const MESSAGE = '{"message":"Bet event reported successfully"}';
const HALF = MESSAGE.slice(0, 24);
const PAGE = expect.stringContaining('Please sign in');
const REFUSED = expect.stringMatching(/^\{"message":".+","error":"Service Unavailable","statusCode":503\}$/);
const json = 'application/json';

type Expected = Partial<Awaited<ReturnType<typeof struck>>> & Record<string, unknown>;

describe('every kind, before and after the report is applied', () => {
  const broken = { thrown: 'TypeError', message: 'fetch failed', cause: 'ECONNRESET' };
  test.each<[FaultKind, Expected, Expected]>([
    ['latency', { status: 200, text: MESSAGE, took: 1_000, recorded: 1 }, { status: 200, text: MESSAGE, took: 1_000 }],
    ['slow-body', { status: 503, text: REFUSED, took: 1_000 }, { status: 200, text: MESSAGE, took: 1_000 }],
    ['connection-reset', broken, broken],
    [
      'half-body',
      { status: 200, text: 'terminated: UND_ERR_SOCKET' },
      { status: 200, text: 'terminated: UND_ERR_SOCKET' },
    ],
    ['status', { status: 503, type: json, text: REFUSED }, { status: 503, type: json, text: REFUSED }],
    ['broken-json', { status: 200, type: json, text: '{' }, { status: 200, type: json, text: MESSAGE.slice(0, -1) }],
    [
      'wrong-content-type',
      { status: 200, type: 'text/html', text: PAGE },
      { status: 200, type: 'text/html', text: PAGE },
    ],
    ['empty-body', { status: 503, type: json, text: '' }, { status: 200, type: json, text: '' }],
    ['duplicate-delivery', { status: 409, recorded: 1 }, { status: 409 }],
  ])('%s', async (kind, before, after) => {
    const status = kind === 'connection-reset' ? undefined : expect.any(Number);
    expect(await struck({ kind })).toMatchObject({
      recorded: 0,
      took: 0,
      journal: { applied: before.recorded === 1, fault: kind, status },
      ...before,
    });
    expect(await struck({ kind, when: 'after' })).toMatchObject({
      recorded: 1,
      took: 0,
      journal: { applied: true, fault: kind, status },
      ...after,
    });
  });

  test('the page of a proxy may have a status of its own', async () => {
    const { gateway, send } = world();
    gateway.faults.add({ kind: 'wrong-content-type', status: 403 });
    const answer = await send();
    expect([answer.status, await answer.text()]).toEqual([403, PAGE]);
  });

  test.each<FaultRule>([
    { kind: 'hang', status: 403 },
    { kind: 'status', delay: 5 },
    { kind: 'wrong-content-type', body: { any: 1 } },
  ])('a member that the kind does not use is refused: %o', (rule) => {
    const { gateway } = world();
    expect(() => gateway.faults.add(rule)).toThrow(/^the fault: \w+: the kind [\w-]+ does not use it; use it with /);
    expect(gateway.faults.list()).toEqual([]);
  });

  test('half a body is its first half', async () => {
    const { gateway, send } = world();
    gateway.faults.add({ kind: 'half-body', when: 'after' });
    const reader = (await send()).body?.getReader();
    let text = '';
    await expect(
      (async () => {
        for (;;) text += new TextDecoder().decode((await reader?.read())?.value);
      })(),
    ).rejects.toThrow('terminated');
    expect(text).toBe(HALF);
  });

  test('a status with a body, headers and a Retry-After', async () => {
    const { gateway, clock, send } = world();
    gateway.faults.add({
      kind: 'status',
      status: 429,
      retryAfter: 7,
      headers: { 'x-request-id': 'r' },
      body: { any: 1 },
    });
    gateway.faults.add({ kind: 'status', status: 503, retryAfter: { date: new Date(clock.now() + 9_000) } });
    gateway.faults.add({ kind: 'status', status: 503, retryAfter: { date: clock.now() } });
    for (const status of [204, 205, 304]) gateway.faults.add({ kind: 'status', status });
    const first = await send();
    expect([
      first.status,
      first.headers.get('retry-after'),
      first.headers.get('x-request-id'),
      await first.json(),
    ]).toEqual([429, '7', 'r', { any: 1 }]);
    expect((await send()).headers.get('retry-after')).toBe(new Date(clock.now() + 9_000).toUTCString());
    expect((await send()).headers.get('retry-after')).toBe(new Date(clock.now()).toUTCString());
    for (const status of [204, 205, 304]) {
      const answer = await send();
      expect([answer.status, await answer.text()]).toEqual([status, '']);
    }
  });

  test('"recorded, then the answer is lost" is one line', async () => {
    const { gateway, outcome } = world();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    expect(await outcome()).toBe('TypeError');
    expect(gateway.reports()).toHaveLength(1);
    expect(await outcome()).toBe(409);
  });

  test('faults apply to a verification as to a report', async () => {
    const { gateway, outcome } = world();
    gateway.faults.add({ kind: 'status', operation: 'verifyNin', when: 'after' });
    expect(await outcome({}, 'verifyNin')).toBe(503);
    expect(gateway.requests()[0]).toMatchObject({ applied: false, fault: 'status' });
  });
});

describe('when a rule applies', () => {
  test('after a number of requests, and a number of times', async () => {
    const { gateway, outcomes } = world();
    gateway.faults.add({ kind: 'status', skip: 2, times: 2 });
    expect(await outcomes(6)).toEqual([200, 200, 503, 503, 200, 200]);
    expect(gateway.faults.list()).toMatchObject([{ id: 1, kind: 'status', struck: 2 }]);
  });

  test('always, with times: null; never, with times: 0', async () => {
    const { gateway, outcomes } = world();
    gateway.faults.add({ kind: 'status', status: 500, times: 0 });
    gateway.faults.add({ kind: 'status', times: null });
    expect(new Set(await outcomes(50))).toEqual(new Set([503]));
  });

  test('only requests that match are counted', async () => {
    const { gateway, outcome } = world();
    gateway.faults.add({ kind: 'status', operation: 'reportBetEvent', reference: 'B-2', skip: 1 });
    const statuses = [];
    for (const bet_id of ['B-1', 'B-2', 'B-3', 'B-2', 'B-2']) statuses.push(await outcome({ bet_id }));
    expect(statuses).toEqual([200, 200, 200, 503, 409]);
  });

  test('one before and one after may apply to the same request; the journal names the first', async () => {
    const { gateway, clock, outcome } = world();
    gateway.faults.add({ kind: 'latency' });
    gateway.faults.add({ kind: 'status', when: 'after' });
    expect([await clock.run(outcome()), await outcome({ bet_id: 'B-2' })]).toEqual([200, 503]);
    expect(gateway.requests().map(({ fault }) => fault)).toEqual(['latency', 'status']);
  });

  test('by probability: the same seed, the same behaviour', async () => {
    const run = async (seed: number) => {
      const { gateway, outcomes } = world({ seed });
      gateway.faults.add({ kind: 'status', probability: 0.3, times: null });
      const first = await outcomes(100);
      gateway.reset();
      gateway.faults.add({ kind: 'status', probability: 0.3, times: null });
      return [first, await outcomes(100)];
    };
    const [first, again] = await run(7);
    expect(again).toEqual(first);
    expect(await run(7)).toEqual([first, again]);
    expect(await run(8)).not.toEqual([first, again]);
    const share = first?.filter((status) => status === 503).length;
    expect(share).toBeGreaterThan(15);
    expect(share).toBeLessThan(45);
  });

  test('by probability: without a seed it is 1', async () => {
    const run = async (seed?: number) => {
      const { gateway, outcomes } = world({ seed });
      gateway.faults.add({ kind: 'status', probability: 0.5, times: null });
      return outcomes(40);
    };
    const standard = await run();
    expect(standard).toEqual(await run(1));
    expect(standard).not.toEqual(await run(2));
  });

  test.each([
    [0, 200],
    [1, 503],
  ])('a probability of %i', async (probability, status) => {
    const { gateway, outcomes } = world();
    gateway.faults.add({ kind: 'status', probability, times: null });
    expect(new Set(await outcomes(20))).toEqual(new Set([status]));
  });

  test('rules are listed with the number of their uses, and removed one by one', async () => {
    const { gateway, outcomes } = world();
    const first = gateway.faults.add({ kind: 'status', status: 500, times: null });
    const second = gateway.faults.add({ kind: 'status', status: 502, times: null });
    expect(await outcomes(2)).toEqual([500, 500]);
    gateway.faults.clear(first);
    expect(await outcomes(1)).toEqual([502]);
    expect(gateway.faults.list()).toEqual([{ kind: 'status', status: 502, times: null, id: second, struck: 1 }]);
  });
});

describe('delays', () => {
  const delaysOf = async (delay: FaultRule['delay'], seed = 1) => {
    const { gateway, clock, outcome } = world({ seed });
    gateway.faults.add({ kind: 'latency', delay, times: null });
    const delays: number[] = [];
    for (let index = 0; index < 200; index += 1) {
      const began = clock.now();
      await clock.run(outcome({ bet_id: `B-${index}` }));
      delays.push(clock.now() - began);
    }
    return delays.sort((a, b) => a - b);
  };

  test('fixed', async () => {
    expect(new Set(await delaysOf(250))).toEqual(new Set([250]));
  });

  test('uniform: within its bounds, spread over all of them', async () => {
    const delays = await delaysOf({ uniform: [100, 200] });
    expect(delays[0]).toBeGreaterThanOrEqual(100);
    expect(delays[0]).toBeLessThan(110);
    expect(delays.at(-1)).toBeLessThanOrEqual(200);
    expect(delays.at(-1)).toBeGreaterThan(190);
  });

  test('uniform: the same seed, the same delays', async () => {
    const delays = await delaysOf({ uniform: [100, 200] });
    expect(await delaysOf({ uniform: [100, 200] })).toEqual(delays);
    expect(await delaysOf({ uniform: [100, 200] }, 2)).not.toEqual(delays);
  });
});

describe('reset ends pending requests', () => {
  test.each<[FaultRule, unknown]>([
    [{ kind: 'hang' }, 'TypeError'],
    [{ kind: 'hang', when: 'after' }, 'TypeError'],
    [{ kind: 'latency', delay: 600_000 }, 503],
    [{ kind: 'latency', delay: 600_000, when: 'after' }, 200],
  ])('%j', async (rule, expected) => {
    const { gateway, clock, outcome } = world();
    gateway.faults.add(rule);
    let ended: unknown;
    const asking = outcome().then((status) => {
      ended = status;
    });
    await expect.poll(() => gateway.faults.list()[0]?.struck).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ended).toBeUndefined();
    gateway.reset();
    await asking;
    expect(ended).toBe(expected);
    expect(clock.pending).toBe(0);
    // Nothing from before the reset is left.
    expect(gateway.reports()).toEqual([]);
    expect(await outcome()).toBe(200);
  });

  test('a slow body', async () => {
    const { gateway, clock, send } = world();
    gateway.faults.add({ kind: 'slow-body', when: 'after', delay: 600_000 });
    const text = (await send()).text();
    await expect.poll(() => clock.pending).toBe(1);
    const freeing = setInterval(() => gateway.reset(), 1);
    expect(await text).toBe(MESSAGE);
    clearInterval(freeing);
  });

  test('a pending request is in the journal, without an answer', async () => {
    const { gateway, outcome } = world();
    gateway.faults.add({ kind: 'hang', when: 'after' });
    const asking = outcome();
    expect(await gateway.waitFor({ fault: 'hang' })).toMatchObject({
      applied: true,
      status: undefined,
      reference: 'BET-1',
    });
    gateway.reset();
    await asking;
  });
});

describe('a wrong rule is refused with a TypeError that says what is wrong', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  test.each<[unknown, RegExp]>([
    [null, /expected an object, got null/],
    ['hang', /expected an object, got a string/],
    [[], /expected an object, got an array/],
    [{}, /kind: is required: expected 'latency' or 'hang'/],
    [{ kind: 'explode' }, /kind: expected 'latency' or/],
    [{ kind: 'status', time: 2 }, /unknown field time; did you mean times\?/],
    [{ kind: 'status', 'Ada Obi 1': 2 }, /unknown field \[masked\]; remove it/],
    [{ kind: 'status', operation: 'reportBet' }, /operation: expected 'reportBetEvent' or/],
    [{ kind: 'status', reference: 7 }, /reference: expected a string/],
    [{ kind: 'status', when: 'during' }, /when: expected 'before' or 'after'/],
    [{ kind: 'status', skip: -1 }, /skip: expected a whole number/],
    [{ kind: 'status', skip: 0.5 }, /skip: expected a whole number/],
    [{ kind: 'status', times: '2' }, /times: expected a whole number from 0, or null/],
    [{ kind: 'status', probability: 1.1 }, /probability: expected a number from 0 to 1/],
    [{ kind: 'status', probability: Number.NaN }, /probability: expected/],
    [{ kind: 'latency', delay: -1 }, /delay: expected milliseconds/],
    [{ kind: 'latency', delay: 600_001 }, /delay: expected milliseconds/],
    [{ kind: 'latency', delay: null }, /delay: expected milliseconds/],
    [{ kind: 'latency', delay: { uniform: [1] } }, /delay: expected milliseconds/],
    [{ kind: 'latency', delay: { uniform: [2, 1] } }, /delay: expected milliseconds/],
    [{ kind: 'latency', delay: { median: 1 } }, /delay: expected milliseconds/],
    [{ kind: 'status', status: 99 }, /status: expected a whole number from 200 to 599/],
    [{ kind: 'status', status: 200.5 }, /status: expected a whole number/],
    [{ kind: 'status', headers: { 'a b': 'c' } }, /headers: expected/],
    [{ kind: 'status', headers: { a: 'b\r\nc: d' } }, /headers: expected/],
    [{ kind: 'status', retryAfter: 'soon' }, /retryAfter: expected whole seconds or \{ date \}/],
    [{ kind: 'status', retryAfter: null }, /retryAfter: expected/],
    [{ kind: 'status', retryAfter: { date: new Date(Number.NaN) } }, /retryAfter: expected/],
    [{ kind: 'status', retryAfter: { date: 1e300 } }, /retryAfter: expected/],
    [{ kind: 'status', body: cyclic }, /body: expected JSON/],
    [{ kind: 'status', body: 1n }, /body: expected JSON/],
    [{ kind: 'status', body: () => 1 }, /body: expected JSON/],
  ])('%o', (rule, message) => {
    const { gateway } = world();
    expect(() => gateway.faults.add(rule as FaultRule)).toThrow(TypeError);
    expect(() => gateway.faults.add(rule as FaultRule)).toThrow(message);
    expect(gateway.faults.list()).toEqual([]);
  });
});

test('an aborted caller is released, in the middle of a body too', async () => {
  const { gateway, clock, send } = world();
  gateway.faults.add({ kind: 'hang' });
  const controller = new AbortController();
  const hanging = send('reportBetEvent', {}, { signal: controller.signal });
  controller.abort();
  await expect(hanging).rejects.toMatchObject({ name: 'AbortError' });

  gateway.faults.add({ kind: 'slow-body', when: 'after', delay: 600_000 });
  const later = new AbortController();
  const text = (await send('reportBetEvent', {}, { signal: later.signal })).text();
  await expect.poll(() => clock.pending).toBe(1);
  later.abort();
  await expect(text).rejects.toMatchObject({ name: 'AbortError' });
});
