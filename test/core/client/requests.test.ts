import { expect, test } from 'vitest';
import type { FetchInit } from '../../../src/core/platform/web-types.js';
import { type Client, type ClientOptions, createClient, fixedLocation } from '../../../src/entries/index.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { json } from '../../support/recording-fetch.js';
import { byTransport } from '../delivery/wire.js';

function recordingClient(options: ClientOptions = {}) {
  const asked: { url: string; init: FetchInit }[] = [];
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'the-key' } },
    location: fixedLocation({ latitude: 0, longitude: 0 }),
    ...byTransport(async (url, init) => {
      asked.push({ url, init });
      return json({ success: true, message: 'ok' });
    }),
    ...options,
  });
  return { client, asked };
}

const CALLS: [name: string, path: string, call: (client: Client) => Promise<unknown>][] = [
  ['reportBetEvent', 'report-bet-event', (client) => client.reportBetEvent(betEvent())],
  ['reportSettledBet', 'report-settled-bet-event', (client) => client.reportSettledBet(settledBet())],
  ['reportWithdrawalEvent', 'report-withdrawal-event', (client) => client.reportWithdrawalEvent(withdrawalEvent())],
  ['reportSettledWithdrawal', 'settle-withdrawal', (client) => client.reportSettledWithdrawal(settledWithdrawal())],
  ['verifyNin', 'nin/verify', (client) => client.verifyNin({ nin: '99012345678' })],
];

test.each(CALLS)('%s posts JSON with the key to %s', async (_name, path, call) => {
  const { client, asked } = recordingClient();
  await call(client);
  expect(asked).toHaveLength(1);
  const [{ url, init } = { url: '', init: {} as FetchInit }] = asked;
  expect(url).toBe(`https://gateway.example.com/integration-gateway/external/${path}`);
  expect(init.method).toBe('POST');
  expect(init.headers).toEqual({
    'x-api-key': 'the-key',
    'content-type': 'application/json',
    accept: 'application/json',
  });
  expect(JSON.parse(init.body ?? '')).toBeTypeOf('object');
});

test('redirects are not followed, since they would forward the key', async () => {
  const { client, asked } = recordingClient();
  await client.reportSettledBet(settledBet());
  expect(asked[0]?.init.redirect).toBe('manual');
});

test.each(CALLS)('the path of %s is an option', async (name, _path, call) => {
  const { client, asked } = recordingClient({ paths: { [name]: 'v2/somewhere-else' } });
  await call(client);
  expect(asked[0]?.url).toBe('https://gateway.example.com/integration-gateway/external/v2/somewhere-else');
});

test('another path does not change the other calls', async () => {
  const { client, asked } = recordingClient({ paths: { reportBetEvent: 'bets' } });
  await client.reportSettledBet(settledBet());
  expect(asked[0]?.url).toMatch(/external\/report-settled-bet-event$/);
});

test('a path with a slash in front does not double it', async () => {
  const { client, asked } = recordingClient({ paths: { reportBetEvent: '/bets' } });
  await client.reportBetEvent(betEvent());
  expect(asked[0]?.url).toBe('https://gateway.example.com/integration-gateway/external/bets');
});

test.each(['../admin', 'bets?x=1', 'bets#x', '//evil.example', 'bets/', '', ['bets']])(
  'the path %j is refused',
  (path) => {
    expect(() => recordingClient({ paths: { reportBetEvent: path as string } })).toThrow('paths.reportBetEvent');
  },
);
