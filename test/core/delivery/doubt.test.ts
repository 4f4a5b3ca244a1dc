import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors/errors.js';
import {
  answer,
  broken,
  conflicting,
  lost,
  once,
  recorded,
  repeated,
  type Scripted,
  scripted,
  unreachable,
} from './scripted-gateway.js';

describe('once an attempt left the outcome unknown', () => {
  it('a duplicate of the same data means that the report is recorded', async () => {
    expect(await scripted([lost(), repeated()]).report()).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
  });

  it.each<[string, () => Scripted]>([
    ['a gateway that failed', () => answer(502)],
    ['an answer that was not understood', () => answer(200, '<html>')],
    ['silence', () => 'silence'],
    ['a body that broke off', () => brokenOff()],
  ])('after %s, a duplicate means recorded too', async (_, first) => {
    expect(await scripted([first(), repeated()]).report()).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
  });

  it('success is success', async () => {
    expect(await scripted([lost(), recorded()]).report()).toMatchObject({ outcome: 'recorded', attempts: 2 });
  });

  it('a conflict is certain: the gateway has other data than this report', async () => {
    expect(await scripted([lost(), conflicting()]).failure()).toMatchObject({
      code: 'duplicate',
      conflict: true,
      outcome: 'rejected',
    });
  });

  it.each<[string, Scripted, ErrorCode]>([
    ['a refusal of the data', answer(422), 'unprocessable'],
    ['a refusal of the request', answer(400), 'bad-request'],
    ['a refusal of the key', answer(401), 'authentication'],
    ['a missing record', answer(404), 'not-found'],
    ['a refused connection', unreachable(), 'network'],
    ['a rate limit', answer(429, {}, { 'retry-after': '3600' }), 'rate-limited'],
    ['a refused certificate', broken('CERT_HAS_EXPIRED'), 'network'],
  ])('%s does not make it certain', async (_, second, code) => {
    const { failure } = scripted([lost(), second], { retry: { limit: 1 } });
    expect(await failure()).toMatchObject({ code, outcome: 'unknown', attempts: 2 });
  });

  it('a key function that fails does not make it certain', async () => {
    let asked = 0;
    const apiKey = () => {
      asked += 1;
      if (asked > 1) throw new Error('the vault is closed');
      return 'key-1';
    };
    const { failure } = scripted([lost()], {
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey } },
    });
    expect(await failure()).toMatchObject({ code: 'configuration', outcome: 'unknown', attempts: 1 });
  });

  it('the error advises to send the same bytes again', async () => {
    expect((await scripted([lost()], once).failure()).message).toContain('client.resend(error)');
  });
});

describe('without doubt', () => {
  it('a duplicate of the same data is an error: another sender reported it', async () => {
    expect(await scripted([repeated()]).failure()).toMatchObject({
      code: 'duplicate',
      conflict: false,
      outcome: 'rejected',
      attempts: 1,
    });
  });

  it.each<[string, Scripted]>([
    ['refused connections', unreachable()],
    ['rate limits', answer(429)],
  ])('after %s it still is, since no attempt arrived', async (_, first) => {
    expect(await scripted([first, repeated()]).failure()).toMatchObject({
      code: 'duplicate',
      conflict: false,
      outcome: 'rejected',
      attempts: 2,
    });
  });

  it('a connection that was never made leaves nothing in doubt', async () => {
    expect(await scripted([unreachable(), unreachable(), unreachable()]).failure()).toMatchObject({
      code: 'network',
      outcome: 'not-sent',
      attempts: 3,
    });
  });
});

describe('whether an answer means a duplicate', () => {
  it('is decided by isDuplicate', async () => {
    const isDuplicate = ({ status }: { status: number }) => (status === 418 ? ('same' as const) : false);
    expect(await scripted([lost(), answer(418)], { isDuplicate }).report()).toMatchObject({
      outcome: 'already-recorded',
    });
    expect(await scripted([answer(409)], { isDuplicate }).failure()).toMatchObject({ code: 'bad-request' });
  });

  it('is decided by isDuplicate after a 200 that says it failed, too', async () => {
    const asked: number[] = [];
    const isDuplicate = ({ status, body }: { status: number; body: unknown }) => {
      asked.push(status);
      return (body as { code?: string }).code === 'DUP' && ('same' as const);
    };
    const twice = () => answer(200, { success: false, code: 'DUP' });
    expect(await scripted([lost(), twice()], { isDuplicate }).report()).toMatchObject({ outcome: 'already-recorded' });
    expect(await scripted([twice()], { isDuplicate }).failure()).toMatchObject({ code: 'duplicate', status: 200 });
    expect(await scripted([recorded()], { isDuplicate }).report()).toMatchObject({ outcome: 'recorded' });
    expect(asked).toEqual([200, 200]);
  });

  it('is undecided if isDuplicate throws, and doubt stays', async () => {
    const isDuplicate = () => {
      throw new Error('a bug of the operator');
    };
    expect(await scripted([lost(), repeated()], { isDuplicate, logger: {} }).failure()).toMatchObject({
      code: 'bad-request',
      outcome: 'unknown',
    });
  });
});

/** An answer whose headers arrive and whose body breaks. */
function brokenOff(): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"mess'));
        controller.error(broken('ECONNREFUSED'));
      },
    }),
  );
}

it('a body that breaks off is unknown, for any cause', async () => {
  expect(await scripted([brokenOff()], once).failure()).toMatchObject({ code: 'network', outcome: 'unknown' });
});
