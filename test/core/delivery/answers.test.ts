import { describe, expect, it } from 'vitest';
import { answer, bet, once, recorded, scripted } from './scripted-gateway.js';

describe('a 2xx answer', () => {
  it.each([
    ['JSON', answer(200, { message: 'done' })],
    ['JSON with unknown fields', answer(201, { message: 'done', later: { more: 1 } })],
    ['JSON that is not an object', answer(200, 'true')],
    ['an empty body', answer(200, null)],
    ['a blank body', answer(200, ' \n ')],
    ['no content', new Response(null, { status: 204 })],
    ['a byte order mark', answer(200, '\uFEFF{"message":"done"}')],
  ])('with %s means recorded', async (_, given) => {
    const { report } = scripted([given], once);
    expect(await report()).toMatchObject({
      outcome: 'recorded',
      operation: 'reportSettledBet',
      reference: 'B-1',
      environment: 'staging',
      attempts: 1,
    });
  });

  it.each([
    [
      'HTML, as a captive portal answers',
      answer(200, '<html><body>Log in</body></html>', { 'content-type': 'text/html' }),
    ],
    ['broken JSON', answer(200, '{"message": "do')],
    ['a statusCode of 400 or more', answer(200, { statusCode: 422, message: 'no' })],
  ])('with %s is not understood, and may be recorded', async (_, given) => {
    const { failure } = scripted([given], once);
    expect(await failure()).toMatchObject({ code: 'gateway', outcome: 'unknown', retryable: true, status: 200 });
  });

  it('is read by the option isRecorded, if there is one', async () => {
    const seen: unknown[] = [];
    const isRecorded = (given: { status: number; body: unknown }) => {
      seen.push(given.body);
      return given.body === 'OK';
    };
    expect(await scripted([answer(202, 'OK')], { ...once, isRecorded }).report()).toMatchObject({
      outcome: 'recorded',
    });
    expect(await scripted([answer(200, { message: 'fine' })], { ...once, isRecorded }).failure()).toMatchObject({
      outcome: 'unknown',
    });
    expect(seen).toEqual(['OK', { message: 'fine' }]);
  });

  it('that is too long is not understood', async () => {
    const endless = new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(32)),
      }),
    );
    expect(await scripted([endless], once).failure()).toMatchObject({ code: 'gateway', outcome: 'unknown' });
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'bad-request', 'BadRequestError'],
    [401, 'authentication', 'AuthenticationError'],
    [403, 'bad-request', 'BadRequestError'],
    [404, 'not-found', 'NotFoundError'],
    [405, 'bad-request', 'BadRequestError'],
    [413, 'bad-request', 'BadRequestError'],
    [415, 'bad-request', 'BadRequestError'],
    [418, 'bad-request', 'BadRequestError'],
    [422, 'unprocessable', 'UnprocessableError'],
  ])('with status %i is a %s error, certain and not retried', async (status, code, name) => {
    const { failure, sent } = scripted([answer(status, { message: 'no' })]);
    expect(await failure()).toMatchObject({
      code,
      name,
      status,
      outcome: 'rejected',
      retryable: false,
      attempts: 1,
      reference: 'B-1',
      environment: 'staging',
    });
    expect(sent).toHaveLength(1);
  });

  it("shows the gateway's message", async () => {
    const error = await scripted(
      [answer(422, { message: ['ur must not be empty', 'ggr must be positive'] })],
      once,
    ).failure();
    expect(error.message).toContain('The gateway said: "ur must not be empty; ggr must be positive"');
  });

  it('is judged by its status, for any content type', async () => {
    expect(await scripted([answer(422, '<h1>no</h1>', { 'content-type': 'text/html' })], once).failure()).toMatchObject(
      { code: 'unprocessable' },
    );
  });
});

describe('a failure of the gateway', () => {
  it.each([408, 500, 502, 503, 504])('with status %i leaves the outcome unknown', async (status) => {
    expect(await scripted([answer(status)], once).failure()).toMatchObject({
      code: 'gateway',
      status,
      outcome: 'unknown',
      retryable: true,
    });
  });

  it.each([301, 302, 307, 308])(
    'with the redirect %i is not followed, since it would forward the key',
    async (status) => {
      const { failure, sent } = scripted([answer(status, null, { location: 'https://elsewhere.example.com/' })], once);
      expect(await failure()).toMatchObject({ code: 'gateway', status, outcome: 'unknown' });
      expect(sent).toHaveLength(1);
      expect(sent[0]?.init.redirect).toBe('manual');
    },
  );
});

describe('verifyNin', () => {
  it('needs a boolean success', async () => {
    const { client, failure } = scripted([answer(200, { message: 'fine' })], once);
    expect(await failure(client.verifyNin('99012345678'))).toMatchObject({
      code: 'gateway',
      outcome: 'unknown',
      reference: undefined,
    });
  });

  it('resolves for a number that is not verified', async () => {
    const { client, run } = scripted([answer(200, { success: false, later: true })], once);
    expect(await run(client.verifyNin('12345678901'))).toEqual({ success: false, later: true });
  });

  it('has no duplicates', async () => {
    const { client, failure } = scripted([answer(409, { message: 'already processed' })], once);
    expect(await failure(client.verifyNin('99012345678'))).toMatchObject({ code: 'bad-request' });
  });
});

it('sends the key and the content type with every request, to the address of the operation', async () => {
  const { report, sent } = scripted([recorded()]);
  await report();
  expect(sent[0]?.url).toBe('https://gateway.example.com/integration-gateway/external/report-settled-bet-event');
  expect(sent[0]?.init).toMatchObject({
    method: 'POST',
    headers: { 'x-api-key': 'key-1', 'content-type': 'application/json' },
  });
  expect(JSON.parse(String(sent[0]?.init.body))).toEqual(bet);
});
