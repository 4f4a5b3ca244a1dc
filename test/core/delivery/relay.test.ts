import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ErrorDetails } from '../../../src/core/errors/errors.js';
import {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  DuplicateReportError,
  GatewayError,
  LocationError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  type ReportingError,
  TimeoutError,
  UnprocessableError,
  ValidationError,
} from '../../../src/entries/index.js';
import { answer, lost, once, type Scripted, unreachable } from './scripted-gateway.js';
import { bet, failed, receipt, recorded, repeated, scripted } from './scripted-relay.js';

describe('a report through a relay', () => {
  it('is sent without a key, with the header that causes a preflight', async () => {
    const { report, sent } = scripted([recorded()]);
    await report();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.url).toBe('https://operator.example.com/location-sdk/report-bet-event');
    expect(sent[0]?.init.headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-location-sdk': '1',
    });
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual(bet);
    expect(sent[0]?.init).toMatchObject({ method: 'POST', redirect: 'manual' });
  });

  it("has the relay's environment and location in its receipt, and counts its own attempts", async () => {
    const { location, environment } = receipt();
    expect(await scripted([answer(502), recorded({ attempts: 3 })]).report()).toEqual({
      outcome: 'recorded',
      operation: 'reportBetEvent',
      reference: 'B-1',
      environment,
      attempts: 2,
      location,
    });
  });

  it('that an earlier attempt of the relay recorded is already recorded', async () => {
    expect(await scripted([recorded({ outcome: 'already-recorded' })]).report()).toMatchObject({
      outcome: 'already-recorded',
      attempts: 1,
    });
  });

  it('that an outbox stored is accepted, not recorded', async () => {
    const { report } = scripted([
      answer(202, { id: 'o-1', state: 'pending', operation: 'reportBetEvent', reference: 'B-1' }),
    ]);
    expect(await report()).toEqual({
      outcome: 'accepted',
      operation: 'reportBetEvent',
      reference: 'B-1',
      attempts: 1,
      state: 'pending',
    });
  });

  it('of a withdrawal has its own address', async () => {
    const { client, run, sent } = scripted([recorded({ operation: 'reportWithdrawalEvent', reference: 'W-1' })]);
    await run(client.reportWithdrawalEvent({ request_id: 'W-1', amount: 3, metadata: { method: 'bank_transfer' } }));
    expect(sent[0]?.url).toBe('https://operator.example.com/location-sdk/report-withdrawal-event');
  });
});

/** An error of each class in the operator's backend, and its status. */
const ERRORS: [new (message: string, details: ErrorDetails) => ReportingError, number, ErrorDetails][] = [
  [ConfigurationError, 503, { outcome: 'not-sent' }],
  [ConfigurationError, 502, { outcome: 'unknown' }],
  [
    ValidationError,
    400,
    {
      outcome: 'not-sent',
      issues: [{ path: 'amount', code: 'wrong-type', message: 'expected a finite number, got a string' }],
    },
  ],
  [
    LocationError,
    503,
    {
      outcome: 'not-sent',
      steps: [{ step: 'client-ip', reason: 'not-public', message: 'gave no location', durationMs: 12 }],
    },
  ],
  [NetworkError, 503, { outcome: 'not-sent' }],
  [NetworkError, 502, { outcome: 'unknown' }],
  [TimeoutError, 502, { outcome: 'unknown' }],
  [AbortedError, 503, { outcome: 'not-sent' }],
  [BadRequestError, 400, { outcome: 'rejected' }],
  [AuthenticationError, 502, { outcome: 'rejected' }],
  [NotFoundError, 404, { outcome: 'rejected' }],
  [DuplicateReportError, 409, { outcome: 'rejected', conflict: false }],
  [DuplicateReportError, 409, { outcome: 'rejected', conflict: true }],
  [UnprocessableError, 422, { outcome: 'rejected' }],
  [RateLimitError, 429, { outcome: 'rejected', retryAfterMs: 90_000 }],
  [RateLimitError, 502, { outcome: 'unknown', retryAfterMs: 90_000 }],
  [GatewayError, 502, { outcome: 'unknown', retryAfterMs: 5_000 }],
];

describe('every error of the backend becomes the same error in the page', () => {
  test.each(ERRORS)('%o with %i and %o', async (type, status, details) => {
    const { name, code } = new type('', {});
    const { code: _, ...told } = { code, ...details };
    const { failure } = scripted([failed(status, { code, ...told })], once);
    const error = await failure();
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({
      ...details,
      name,
      code,
      status,
      reference: 'B-1',
      operation: 'reportBetEvent',
      attempts: 1,
    });
    expect(error.environment).toBeUndefined();
    expect(error.message).toContain('The relay said: "The relay has something to say.".');
    expect(Object.keys(error)).not.toContain('error');
  });

  it('lists every issue in its message', async () => {
    const issues = [{ path: 'amount', code: 'wrong-type', message: 'expected a finite number, got a string' }];
    const error = await scripted([failed(400, { code: 'validation', outcome: 'not-sent', issues })]).failure();
    expect(error.message).toContain('\n  - amount: expected a finite number, got a string');
  });

  it('of an unknown kind: the status gives the class and the relay the outcome', async () => {
    const error = await scripted([failed(409, { code: 'quota', outcome: 'unknown' })], once).failure();
    expect(error).toMatchObject({ code: 'bad-request', outcome: 'unknown', status: 409 });
  });
});

describe('doubt between page and relay', () => {
  it.each<[string, () => Scripted]>([
    ['a lost answer', lost],
    ['silence', () => 'silence'],
    ['a proxy that failed', () => answer(502, '<html>')],
    ['an answer that is not from a relay', () => answer(200, { message: 'ok' })],
    ['a relay in doubt', () => failed(502, { code: 'network', outcome: 'unknown' })],
  ])('after %s, a duplicate means recorded', async (_, first) => {
    expect(await scripted([first(), repeated()]).report()).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
  });

  it('that a duplicate ends gives a receipt without an environment, which the duplicate does not name', async () => {
    const { outcome, environment } = await scripted([lost(), repeated()]).report();
    expect([outcome, environment]).toEqual(['already-recorded', undefined]);
  });

  it.each<[string, () => Scripted]>([
    ['a relay that sent nothing', () => failed(503, { code: 'network', outcome: 'not-sent' })],
    ['a relay with too many requests', () => failed(429, { code: 'rate-limited', outcome: 'not-sent' })],
    ['a relay that was not reached', unreachable],
  ])('after %s, a duplicate is an error', async (_, first) => {
    expect(await scripted([first(), repeated()]).failure()).toMatchObject({
      code: 'duplicate',
      conflict: false,
      outcome: 'rejected',
      attempts: 2,
    });
  });

  it.each<[string, Scripted, string]>([
    ['a session that ended', failed(401, { code: 'authentication', outcome: 'not-sent' }), 'authentication'],
    ['a refusal', failed(422, { code: 'unprocessable', outcome: 'rejected' }), 'unprocessable'],
    ['a page that is refused', answer(403, '<html>'), 'bad-request'],
  ])('%s does not end it', async (_, second, code) => {
    const error = await scripted([lost(), second]).failure();
    expect(error).toMatchObject({ code, outcome: 'unknown', attempts: 2 });
    expect(error.message).toContain('client.resend(error)');
  });

  const conflict = () => failed(409, { code: 'duplicate', outcome: 'rejected', conflict: true });
  const located = { ...bet, location: { latitude: 6.5, longitude: 3.4, source: 'gps' } };

  it('a conflict ends it if the page sent the location: the gateway has other data than this report', async () => {
    const { client, failure } = scripted([lost(), conflict()]);
    expect(await failure(client.reportBetEvent(located))).toMatchObject({
      code: 'duplicate',
      conflict: true,
      outcome: 'rejected',
    });
  });

  it('a conflict does not end it if the relay found the location, again for each attempt', async () => {
    expect(await scripted([lost(), conflict()]).failure()).toMatchObject({
      code: 'duplicate',
      conflict: true,
      outcome: 'unknown',
    });
  });

  it('resend sends the same bytes, in doubt from the start', async () => {
    const { client, failure, run, sent } = scripted([lost(), repeated()], once);
    const error = await failure();
    expect(error).toMatchObject({ code: 'network', outcome: 'unknown' });
    expect(await run(client.resend(error))).toMatchObject({
      outcome: 'already-recorded',
      reference: 'B-1',
      attempts: 1,
    });
    expect(sent[1]?.init.body).toBe(sent[0]?.init.body);
    expect(sent[1]?.url).toBe(sent[0]?.url);
  });
});

describe('retries', () => {
  it('repeat a transient failure, with the same bytes, and wait as long as the relay asks', async () => {
    const { report, sent, clock } = scripted([
      failed(429, { code: 'rate-limited', outcome: 'not-sent', retryAfterMs: 7_000 }),
      failed(503, { code: 'network', outcome: 'not-sent' }, { 'retry-after': '3' }),
      recorded(),
    ]);
    expect(await report()).toMatchObject({ outcome: 'recorded', attempts: 3 });
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1);
    expect(clock.waits).toEqual(expect.arrayContaining([7_000, 3_000]));
  });

  it.each([
    ['configuration', 503, 'not-sent'],
    ['validation', 400, 'not-sent'],
    ['location', 503, 'not-sent'],
    ['authentication', 401, 'not-sent'],
    ['aborted', 503, 'not-sent'],
    ['unprocessable', 422, 'rejected'],
  ])('do not repeat a permanent failure: %s', async (code, status, outcome) => {
    expect(await scripted([failed(status, { code, outcome })]).failure()).toMatchObject({
      code,
      outcome,
      attempts: 1,
      retryable: false,
    });
  });

  it('nothing is sent once the signal has cancelled the call', async () => {
    const { client, failure, sent } = scripted([]);
    expect(await failure(client.reportBetEvent(bet, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
      outcome: 'not-sent',
      attempts: 0,
    });
    expect(sent).toEqual([]);
  });
});

describe('an answer that is not from a relay', () => {
  it.each<[string, Response, string, string]>([
    ['a page in its place', answer(200, '<html>'), 'gateway', 'unknown'],
    ['a receipt of another report', recorded({ reference: 'B-2' }), 'gateway', 'unknown'],
    ['a receipt of another operation', recorded({ operation: 'reportWithdrawalEvent' }), 'gateway', 'unknown'],
    ['a success with an error in it', failed(200, { code: 'validation', outcome: 'not-sent' }), 'gateway', 'unknown'],
    ['accepted, without naming the report', answer(202, { state: 'pending' }), 'gateway', 'unknown'],
    ['a missing page', answer(404, '<html>'), 'not-found', 'rejected'],
    ['a login page', answer(401, '<html>'), 'authentication', 'rejected'],
    ['a redirect to one', new Response(null, { status: 302, headers: { location: '/login' } }), 'gateway', 'unknown'],
    ['a failure without an outcome', failed(400, { code: 'validation' }), 'bad-request', 'rejected'],
    [
      "a gateway's duplicate, in a form that no relay has",
      answer(409, { message: 'already been reported' }),
      'bad-request',
      'rejected',
    ],
  ])('%s is judged by its status', async (_, given, code, outcome) => {
    const error = await scripted([given], once).failure();
    expect(error).toMatchObject({ code, outcome });
    expect(error.message).toMatch(/is relayUrl right, and the player logged in\?/);
  });

  it("a gateway's duplicate after doubt is not a success either", async () => {
    expect(await scripted([lost(), answer(409, { message: 'already been reported' })]).failure()).toMatchObject({
      code: 'bad-request',
      outcome: 'unknown',
    });
  });

  it('for any answer, the call ends with an error of this package or with a receipt of this report', async () => {
    const status = fc.constantFrom(200, 202, 204, 301, 400, 401, 404, 409, 422, 429, 500, 502, 503);
    const code = fc.oneof(
      fc.constantFrom('duplicate', 'validation', 'location', 'gateway', '__proto__', 'constructor', 'toString'),
      fc.anything(),
    );
    const error = fc.record(
      {
        code,
        outcome: fc.constantFrom('not-sent', 'rejected', 'unknown'),
        message: fc.anything(),
        issues: fc.anything(),
        steps: fc.array(fc.anything()),
        retryAfterMs: fc.anything(),
      },
      { requiredKeys: ['outcome'] },
    );
    await fc.assert(
      fc.asyncProperty(
        status,
        fc.oneof(
          error.map((error) => ({ error })),
          fc.jsonValue(),
          fc.anything(),
        ),
        async (status, body) => {
          const text = status === 204 ? null : safely(body);
          const settled = await scripted([answer(status, text)], once)
            .failure()
            .catch(String);
          if (typeof settled === 'string') throw new Error(settled);
          expect(['not-sent', 'rejected', 'unknown']).toContain(settled.outcome);
          if (status < 400 || status >= 500)
            expect(JSON.stringify(body ?? null).includes('"outcome"') || settled.outcome === 'unknown').toBe(true);
          expect(() => JSON.stringify(settled)).not.toThrow();
        },
      ),
      { numRuns: 100 },
    );
  });
});

const safely = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'not json';
  }
};

test('page data that another program repeats is not shown, in its message, its issues and its steps', async () => {
  const canary = 'Ogui-Canary-Road';
  const payload = {
    ...bet,
    metadata: { note: canary },
    location: { latitude: 6.54321, longitude: 3.12345, source: 'gps' },
  };
  const words = `we know ${canary} at 6.54321`;
  const issues = [{ path: `metadata.${canary} lane`, code: 'invalid', message: words }];
  const steps = [{ step: `${canary} lane`, reason: words, message: words, durationMs: 1 }];
  for (const code of ['validation', 'location', 'gateway', `${canary} lane`]) {
    const { client, failure } = scripted([
      failed(400, { code, outcome: 'rejected', message: words, issues, steps }, {}),
    ]);
    const error = await failure(client.reportBetEvent(payload));
    for (const shown of [error.message, JSON.stringify(error), error.stack]) {
      expect(shown).not.toContain(canary);
      expect(shown).not.toContain('6.54321');
    }
  }
});
