import { describe, expect, test } from 'vitest';
import { type ClientOptions, createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { relayWorld } from '../../http/relay/world.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';

const place = { latitude: 6.45, longitude: 3.39, source: 'gps' };

function setUp(options: ClientOptions = {}) {
  const gateway = createMockGateway({ requireInitiated: false });
  const client = createClient({ ...gateway.clientOptions(), ...options });
  const store = memoryStore();
  return { gateway, client, store, outbox: createOutbox({ client, store }) };
}

type Reports = Pick<
  ReturnType<typeof setUp>['outbox'],
  'reportBetEvent' | 'reportSettledBet' | 'reportWithdrawalEvent' | 'reportSettledWithdrawal'
>;

const REPORTS: readonly (readonly [
  string,
  'bet_id' | 'request_id',
  (to: Reports | ReturnType<typeof setUp>['client'], reference: string) => Promise<unknown>,
])[] = [
  ['reportBetEvent', 'bet_id', (to, bet_id) => to.reportBetEvent(betEvent({ bet_id }))],
  ['reportSettledBet', 'bet_id', (to, bet_id) => to.reportSettledBet(settledBet({ bet_id }))],
  [
    'reportWithdrawalEvent',
    'request_id',
    (to, request_id) => to.reportWithdrawalEvent(withdrawalEvent({ request_id })),
  ],
  [
    'reportSettledWithdrawal',
    'request_id',
    (to, request_id) => to.reportSettledWithdrawal({ ...settledWithdrawal({ request_id }), location: place }),
  ],
];

const refused = (path: string, length: number, most = 255) => ({
  code: 'validation',
  outcome: 'not-sent',
  reference: undefined,
  issues: [
    {
      path,
      code: 'invalid',
      message: `expected a string of at most ${most} characters (maxReferenceLength), got a string of length ${length}`,
    },
  ],
});

describe.each(REPORTS)('%s', (_, path, report) => {
  test('takes a reference of 255 characters, and none of 256: nothing is sent or stored', async () => {
    const { client, outbox, store, gateway } = setUp();
    await expect(report(client, 'é'.repeat(255))).resolves.toMatchObject({ outcome: 'recorded' });
    await expect(report(outbox, 'x'.repeat(255))).resolves.toMatchObject({ state: 'waiting' });
    await expect(report(client, 'x'.repeat(256))).rejects.toMatchObject(refused(path, 256));
    await expect(report(outbox, '\u{1f600}'.repeat(128))).rejects.toMatchObject(refused(path, 256));
    expect([gateway.requests().length, (await store.list({ limit: 9 })).length]).toEqual([1, 1]);
  });
});

test('the message does not repeat a long reference', async () => {
  const { client } = setUp();
  const error = await client
    .reportBetEvent(betEvent({ bet_id: 'secret'.repeat(1_000) }))
    .catch((thrown: unknown) => String(thrown));
  expect(error).toMatch(
    /^ValidationError: reportBetEvent \(staging\): 1 problem:\n {2}- bet_id: expected a string of at most 255 characters .*\nNothing was sent\.$/,
  );
});

test('one report of a list is refused by itself', async () => {
  const { outbox } = setUp();
  const results = await outbox.reportAll(
    ['B-1', 'x'.repeat(3_000), 'B-3'].map((bet_id) => ({
      operation: 'reportSettledBet',
      payload: settledBet({ bet_id }),
    })),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('the limit is an option', async () => {
  const { client } = setUp({ maxReferenceLength: 10 });
  await expect(client.reportBetEvent(betEvent({ bet_id: '12345678901' }))).rejects.toMatchObject(
    refused('bet_id', 11, 10),
  );
  for (const maxReferenceLength of [0, 801, 1.5, Number.NaN])
    expect(() => createClient({ maxReferenceLength })).toThrow(
      /maxReferenceLength: expected a whole number from 1 to 800/,
    );
});

test('a page is told that its reference is too long, and nothing reaches the gateway or the outbox of the relay', async () => {
  const { send, gateway, client, lookedUp } = relayWorld();
  const store = memoryStore();
  const queueing = relayWorld({ client: createOutbox({ client, store }) });
  for (const to of [send, queueing.send]) {
    const { status, body } = await to({ body: { bet_id: 'x'.repeat(256), amount: 1 } });
    expect([status, body.error]).toMatchObject([
      400,
      { code: 'validation', outcome: 'not-sent', issues: refused('bet_id', 256).issues },
    ]);
  }
  expect([gateway.requests(), lookedUp, await store.list({ limit: 1 })]).toEqual([[], [], []]);
});

test('a page with a relay refuses it before it asks for a location', async () => {
  const client = createClient({
    relayUrl: 'https://shop.example.com/relay',
    fetch: () => Promise.reject(new Error('asked')),
  });
  await expect(client.reportBetEvent({ bet_id: 'x'.repeat(256), amount: 1 })).rejects.toMatchObject(
    refused('bet_id', 256),
  );
});
