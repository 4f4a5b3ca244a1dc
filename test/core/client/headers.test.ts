import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import type { ClientOptions } from '../../../src/core/client/options.js';
import type { HeadersOption } from '../../../src/core/schema/headers.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { polluted } from '../../polluted.js';
import { answer, bet, once, recorded, type Scripted, scripted } from '../delivery/scripted-gateway.js';

const TOKEN = 'Bearer quillback-5521-zander';

/** The headers of each request of a report. */
async function sentWith(script: Scripted[], options: ClientOptions) {
  const { client, run, sent } = scripted(script, options);
  await run(client.reportSettledBet(bet).catch(() => {}));
  return sent.map(({ init }) => new Headers(init.headers));
}

describe('headers', () => {
  it.each<[string, HeadersOption]>([
    ['an object', { Authorization: TOKEN }],
    ['a function', () => ({ authorization: TOKEN })],
    ['an asynchronous function', async () => ({ authorization: TOKEN })],
  ])('of the client, as %s, are sent with each request, together with those of this package', async (_, headers) => {
    for (const sent of await sentWith([answer(503), recorded()], { headers })) {
      expect(sent.get('authorization')).toBe(TOKEN);
      expect([sent.get('x-api-key'), sent.get('content-type')]).toEqual(['key-1', 'application/json']);
    }
  });

  it('that all objects inherit are not sent', async () => {
    const { client, run, sent } = scripted([recorded()], once);
    await polluted({ headers: { authorization: TOKEN } }, () =>
      run(client.reportSettledBet(bet, { timeoutMs: 5_000 })),
    );
    expect(sent.map(({ init }) => new Headers(init.headers).get('authorization'))).toEqual([null]);
  });

  it('of a function are read again for every attempt', async () => {
    let asked = 0;
    const headers = () => {
      asked += 1;
      return { 'x-turn': `turn-${asked}` };
    };
    const sent = await sentWith([answer(503), recorded()], { headers });
    expect(sent.map((one) => one.get('x-turn'))).toEqual(['turn-1', 'turn-2']);
  });

  it('are sent with a number to verify and with a report that is resent', async () => {
    const script = [answer(500), answer(200, { success: false }), recorded()];
    const { client, run, sent, failure } = scripted(script, { ...once, headers: { 'x-team': 'bets' } });
    const error = await failure(client.reportSettledBet(bet));
    await run(client.verifyNin('99012345678'));
    await run(client.resend(error));
    expect(sent.map(({ init }) => new Headers(init.headers).get('x-team'))).toEqual(['bets', 'bets', 'bets']);
  });

  it("are sent with an outbox's reports", async () => {
    const gateway = createMockGateway({ requireInitiated: false });
    const seen: (string | null)[] = [];
    const fetch: typeof gateway.fetch = (input, init) => {
      seen.push(new Request(input as string, init as RequestInit).headers.get('x-team'));
      return gateway.fetch(input, init);
    };
    const outbox = createOutbox({
      client: createClient({ ...gateway.clientOptions(), fetch, headers: { 'x-team': 'bets' } }),
      store: memoryStore(),
    });
    await outbox.reportSettledBet(bet);
    await outbox.drain();
    expect(seen).toEqual(['bets']);
  });
});

const WRONG: [string, unknown, string][] = [
  [
    'our key',
    { 'X-API-Key': TOKEN },
    'headers.X-API-Key: this package sets this header, and it cannot be replaced; remove it',
  ],
  ['the content type', { 'content-type': TOKEN }, 'headers.content-type: this package sets this header'],
  ['the user agent', { 'User-Agent': TOKEN }, 'headers.User-Agent: this package sets this header'],
  ['the length', { 'content-length': '7' }, 'headers.content-length: this package sets this header'],
  ["the relay's mark", { 'x-location-sdk': '2' }, 'headers.x-location-sdk: this package sets this header'],
  [
    'a line end',
    { 'x-a': `${TOKEN}\r\nx-b: 1` },
    'headers.x-a: expected a string of visible ASCII characters and spaces, without line ends',
  ],
  ['another script', { 'x-a': 'Ọlá' }, 'headers.x-a: expected a string of visible ASCII'],
  ['a number', { 'x-a': 7 }, 'headers.x-a: expected a string of visible ASCII'],
  ['a name with a space', { 'x a': TOKEN }, 'headers.[masked]: this is not a valid header name'],
  ['a list', [['x-a', TOKEN]], 'headers: expected an object of headers by name, or a function that returns one'],
  ['an object of the platform', new Headers({ 'x-a': TOKEN }), 'headers: expected an object of headers by name'],
  ['a text', TOKEN, 'headers: expected an object of headers by name'],
];

describe.each(WRONG)('wrong headers: %s', (_, headers, message) => {
  it('are refused when the client is made, without their values', () => {
    let error: unknown;
    try {
      createClient({ headers: headers as never });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining(message) });
    expect(String(error)).not.toContain('quillback');
  });

  it('are refused if a function returns them, and nothing is sent', async () => {
    const { failure, sent } = scripted([], { headers: async () => headers as never });
    const error = await failure();
    expect(error).toMatchObject({
      code: 'configuration',
      outcome: 'not-sent',
      message: expect.stringContaining(`the function headers returned ${message}`),
    });
    expect(JSON.stringify(error)).not.toContain('quillback');
    expect(sent).toEqual([]);
  });
});

describe('a function for headers', () => {
  it('that throws sends nothing, and its error is not shown', async () => {
    const { failure, sent } = scripted([], { headers: () => Promise.reject(new Error(TOKEN)) });
    const error = await failure();
    expect(error).toMatchObject({
      code: 'configuration',
      outcome: 'not-sent',
      message: expect.stringContaining('headers threw an error; check that function'),
    });
    expect(JSON.stringify(error)).not.toContain('quillback');
    expect(sent).toEqual([]);
  });

  it.each<[string, () => Record<string, string>]>([
    [
      'has a member that throws',
      () => ({
        get 'x-a'(): string {
          throw new Error(TOKEN);
        },
      }),
    ],
    [
      'is a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error(TOKEN);
            },
          },
        ),
    ],
  ])('whose answer %s is named in the message', async (_, headers) => {
    const { failure, sent } = scripted([], { headers });
    expect((await failure()).message).toBe(
      'reportSettledBet B-1 (staging): headers threw an error; check that function. Nothing was sent.',
    );
    expect(sent).toEqual([]);
  });

  it('is read once: the checked value is sent', async () => {
    let reads = 0;
    const headers = () => ({
      get 'x-a'() {
        reads += 1;
        return reads === 1 ? 'checked' : `${TOKEN}\n`;
      },
    });
    const { client, run, sent } = scripted([answer(200)], { headers });
    await run(client.reportSettledBet(bet));
    expect(new Headers(sent[0]?.init.headers).get('x-a')).toBe('checked');
  });

  it('that does not answer uses up the time of the attempt, and nothing was sent', async () => {
    const { failure } = scripted([], { headers: () => new Promise<never>(() => {}), ...once });
    expect(await failure()).toMatchObject({ code: 'timeout', outcome: 'not-sent', attempts: 0 });
  });
});

it('the value of a header that a gateway repeats is not shown', async () => {
  const echo = answer(
    422,
    { message: `the API key ${TOKEN} is invalid`, got: TOKEN, part: 'quillback-5521' },
    { 'x-request-id': 'quillback-5521' },
  );
  const error = await scripted([echo], { ...once, headers: { authorization: TOKEN } }).failure();
  expect(error.details).toMatchObject({ got: '[masked]', part: '[masked]' });
  expect(JSON.stringify(error)).not.toMatch(/quillback|zander/);
  expect(error).not.toHaveProperty('requestId');
});

it('a request id that was sent as a header is kept, if the gateway answers with it', async () => {
  const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const { client, run } = scripted([answer(200, { message: 'ok' }, { 'x-request-id': id })], {
    headers: { 'X-Request-Id': id },
  });
  expect(await run(client.reportSettledBet(bet))).toMatchObject({ requestId: id });
});
