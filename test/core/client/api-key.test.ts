import { describe, expect, test, vi } from 'vitest';
import {
  AuthenticationError,
  type ClientOptions,
  ConfigurationError,
  createClient,
  TimeoutError,
} from '../../../src/entries/index.js';
import { settledBet } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { FakeClock } from '../../support/fake-clock.js';
import { json, recordingFetch } from '../../support/recording-fetch.js';
import { byTransport } from '../delivery/wire.js';

type ApiKey = NonNullable<NonNullable<ClientOptions['gateways']>['staging']>['apiKey'];

const clientWith = (apiKey: unknown, more: ClientOptions = {}) =>
  createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: apiKey as ApiKey } },
    ...more,
  });

const keysSent = async (apiKey: unknown) => {
  const { requests, ...by } = recordingFetch();
  await clientWith(apiKey, by).reportSettledBet(settledBet());
  return requests.map(({ headers }) => headers['x-api-key']);
};

test.each([
  ['a string', 'key-1'],
  ['a function', () => 'key-1'],
  ['an async function', async () => 'key-1'],
])('the key is sent as x-api-key when it is given as %s', async (_kind, apiKey) => {
  expect(await keysSent(apiKey)).toEqual(['key-1']);
});

test.each(['se cret', 'secret\n', '\tsecret', 'secret\r\nx-evil: 1', 'sécret', 'secret\u0000', ''])(
  'the key %j, which a header cannot hold, is refused and not repeated',
  async (apiKey) => {
    const { message } = await failureOf(() => clientWith(apiKey));
    expect(message).toContain('gateways.staging.apiKey');
    expect(message).not.toMatch(/s[eé] ?cret/);
  },
);

test.each(['se cret', 'secret\n', '', undefined, null, 42, {}, Symbol('secret')])(
  'a function that returns %o is a configuration error',
  async (junk) => {
    const { requests, ...by } = recordingFetch();
    const error = await failureOf(clientWith(() => junk, by).reportSettledBet(settledBet()));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not-sent', attempts: 0, reference: 'BET-1' });
    expect(error.message).toContain('gateways.staging.apiKey');
    expect(error.message).not.toMatch(/se ?cret/);
    expect(requests).toEqual([]);
  },
);

describe('a function that throws', () => {
  const thrown = new Error('the key is secret');
  test.each([
    [
      'at once',
      () => {
        throw thrown;
      },
    ],
    ['later', () => Promise.reject(thrown)],
  ])("%s is a configuration error that does not show the error's text", async (_when, apiKey) => {
    const error = await failureOf(clientWith(apiKey).reportSettledBet(settledBet()));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('gateways.staging.apiKey threw');
    expect(error.message).not.toContain('secret');
    expect(error.cause).toBeUndefined();
  });
});

test('a function that never answers ends the call in time, with nothing sent', async () => {
  const clock = new FakeClock();
  const { requests, ...by } = recordingFetch();
  const began = clock.now();
  const client = clientWith(() => new Promise(() => {}), { clock, ...by, attemptTimeoutMs: 3_000 });
  const error = await clock.run(failureOf(client.reportSettledBet(settledBet())));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ outcome: 'not-sent', attempts: 0 });
  expect(clock.now() - began).toBe(3_000);
  expect(requests).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('the function is called for every request, so that a key can be rotated', async () => {
  const apiKey = vi.fn().mockReturnValueOnce('key-1').mockResolvedValueOnce('key-2').mockReturnValue('key-3');
  const answers = [json({}, 503), json({ message: 'ok' }), json({ message: 'ok' })];
  const sent: (string | undefined)[] = [];
  const client = clientWith(apiKey, {
    retry: { baseMs: 0 },
    ...byTransport(async (_url, { headers }) => {
      sent.push(headers['x-api-key']);
      return answers.shift() ?? json({}, 500);
    }),
  });
  await client.reportSettledBet(settledBet());
  await client.reportSettledBet(settledBet());
  expect(sent).toEqual(['key-1', 'key-2', 'key-3']);
});

test('a key that the gateway refuses is an authentication error', async () => {
  const { requests: _, ...by } = recordingFetch(() =>
    json({ message: 'API key is invalid', error: 'Unauthorized', statusCode: 401 }, 401),
  );
  const error = await failureOf(clientWith('wrong', by).reportSettledBet(settledBet()));
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(error).toMatchObject({ status: 401, outcome: 'rejected', attempts: 1 });
});
