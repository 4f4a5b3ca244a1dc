import { expect, test } from 'vitest';
import { type ClientOptions, createClient, type ValidationError } from '../../../src/entries/index.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';
import { json, recordingFetch } from '../../support/recording-fetch.js';

const location = { latitude: 6.45, longitude: 3.39 };

function twoGateways(more: ClientOptions = {}) {
  const { requests, ...by } = recordingFetch(() => json({ success: true }));
  const gateways = {
    staging: { baseUrl: 'https://staging.example.com', apiKey: 'staging-key' },
    production: { baseUrl: 'https://production.example.com', apiKey: 'production-key' },
  };
  const client = createClient({ gateways, ...by, ...more });
  const reached = () => requests.map(({ url, headers }) => `${new URL(url).hostname} ${headers['x-api-key']}`);
  return { client, requests, reached };
}

const STAGING = 'staging.example.com staging-key';
const PRODUCTION = 'production.example.com production-key';

test('staging is the default', async () => {
  const { client, reached } = twoGateways();
  const receipt = await client.reportSettledBet(settledBet());
  expect(reached()).toEqual([STAGING]);
  expect(receipt.environment).toBe('staging');
});

test('the client may have another environment', async () => {
  const { client, reached } = twoGateways({ environment: 'production' });
  const receipt = await client.reportSettledBet(settledBet());
  expect(reached()).toEqual([PRODUCTION]);
  expect(receipt.environment).toBe('production');
});

test('a call may go to another environment than the client, for every method', async () => {
  const { client, reached } = twoGateways();
  const options = { environment: 'production' as const };
  await client.reportBetEvent(betEvent(), { ...options, location });
  await client.reportSettledBet(settledBet(), options);
  await client.reportWithdrawalEvent(withdrawalEvent(), { ...options, location });
  await client.reportSettledWithdrawal(settledWithdrawal(), { ...options, location });
  await client.verifyNin('99012345678', options);
  expect(reached()).toEqual(Array(5).fill(PRODUCTION));
});

test('a call may go back to staging', async () => {
  const { client, reached } = twoGateways({ environment: 'production' });
  await client.reportSettledBet(settledBet(), { environment: 'staging' });
  expect(reached()).toEqual([STAGING]);
});

test('the environment may be in the payload, and is then not sent', async () => {
  const { client, reached, requests } = twoGateways();
  await client.reportSettledBet({ ...settledBet(), environment: 'production' });
  expect(reached()).toEqual([PRODUCTION]);
  expect(requests[0]?.body).toEqual(settledBet());
});

test('the same environment in the payload and in the options is accepted', async () => {
  const { client, reached } = twoGateways();
  await client.verifyNin({ nin: '99012345678', environment: 'production' }, { environment: 'production' });
  expect(reached()).toEqual([PRODUCTION]);
});

test('different environments in the payload and in the options are refused', async () => {
  const { client, reached } = twoGateways();
  const call = () =>
    client.reportSettledBet({ ...settledBet(), environment: 'production' }, { environment: 'staging' });
  expect(await issuesOf(call)).toEqual(['environment: conflict']);
  expect(reached()).toEqual([]);
});

test.each(['live', 'Production', '', 1, null])(
  '%j is not an environment, in the payload or in the options',
  async (environment) => {
    const { client, reached } = twoGateways();
    const wrong = { environment } as never;
    const inPayload = await failureOf<ValidationError>(
      client.reportSettledBet({ ...settledBet(), ...(wrong as object) }),
    );
    const inOptions = await failureOf<ValidationError>(client.reportSettledBet(settledBet(), wrong));
    expect(inPayload.issues).toMatchObject([
      { path: 'environment', message: expect.stringContaining("'staging' or 'production'") },
    ]);
    expect(inOptions.issues).toEqual(inPayload.issues);
    expect(reached()).toEqual([]);
  },
);
