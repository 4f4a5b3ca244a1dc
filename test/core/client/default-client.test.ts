import { afterEach, expect, test } from 'vitest';
import * as sdk from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';

const DEFAULT_CLIENT = Symbol.for('location-sdk.default-client');

afterEach(() => Reflect.deleteProperty(globalThis, DEFAULT_CLIENT));

const NAMES = [
  'reportBetEvent',
  'reportSettledBet',
  'reportWithdrawalEvent',
  'reportSettledWithdrawal',
  'verifyNin',
  'locate',
  'resend',
] as const;

test.each(NAMES)('%s before configure rejects with the lines to write', async (name) => {
  const error = await failureOf((sdk[name] as () => Promise<unknown>)());
  expect(error).toBeInstanceOf(sdk.ConfigurationError);
  expect(error).toMatchObject({ operation: name, outcome: 'not-sent' });
  expect(error.message).toContain("configure({ relayUrl: '/relay' }) in a page; configure() on a server");
});

test('after configure every function works over the default client', async () => {
  const gateway = createMockGateway();
  sdk.configure(gateway.clientOptions());
  await sdk.reportBetEvent(betEvent());
  await sdk.reportSettledBet(settledBet());
  const { location } = await sdk.reportWithdrawalEvent(withdrawalEvent());
  await sdk.reportSettledWithdrawal(settledWithdrawal({ location } as never));
  expect(gateway.reports().map(({ operation }) => operation)).toEqual(NAMES.slice(0, 4));
  expect(await sdk.verifyNin('99012345678')).toMatchObject({ success: true });
  expect(await sdk.locate()).toMatchObject({ source: 'mock' });
});

test('an error of the default client can be resent with it', async () => {
  const gateway = createMockGateway();
  sdk.configure({ ...gateway.clientOptions(), retry: { limit: 0 } });
  gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  const error = await failureOf(sdk.reportBetEvent(betEvent()));
  expect(error.outcome).toBe('unknown');
  expect(await sdk.resend(error)).toMatchObject({ outcome: 'already-recorded', reference: 'BET-1' });
});

test('configure again replaces it', async () => {
  const [first, second] = [createMockGateway(), createMockGateway()];
  sdk.configure(first.clientOptions());
  sdk.configure(second.clientOptions());
  await sdk.reportBetEvent(betEvent());
  expect([first.reports().length, second.reports().length]).toEqual([0, 1]);
});

test('options that cannot be used throw, and the earlier client stays', async () => {
  const gateway = createMockGateway();
  sdk.configure(gateway.clientOptions());
  expect(() => sdk.configure({ timeoutMs: -1 })).toThrow(sdk.ConfigurationError);
  await sdk.reportBetEvent(betEvent());
  expect(gateway.reports()).toHaveLength(1);
});

test('another copy of the package finds the same default client', async () => {
  const gateway = createMockGateway();
  sdk.configure(gateway.clientOptions());
  const shared = (globalThis as { [DEFAULT_CLIENT]?: sdk.Client })[DEFAULT_CLIENT];
  await shared?.reportBetEvent(betEvent());
  expect(gateway.reports()).toHaveLength(1);
});

test('a field that is present is never suggested for another one', async () => {
  const gateway = createMockGateway();
  const client = sdk.createClient(gateway.clientOptions());
  const error = await failureOf<sdk.ValidationError>(client.reportSettledBet({ ...settledBet(), amount: 5 } as never));
  expect(error.issues).toEqual([{ path: 'amount', code: 'unknown-field', message: 'unknown field amount; remove it' }]);
});
