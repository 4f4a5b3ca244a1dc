import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { betEvent, settledBet } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';

const gateway = createMockGateway();
const { baseUrl } = gateway.clientOptions().gateways.staging;
const { location, fetch } = gateway.clientOptions();

beforeEach(() => {
  for (const name of ['STAGING_API_KEY', 'PRODUCTION_API_KEY', 'MOCK', 'ENVIRONMENT'])
    vi.stubEnv(`LOCATION_SDK_${name}`, undefined);
});
afterEach(() => vi.unstubAllEnvs());

const keyless = () => createClient({ gateways: { staging: { baseUrl } }, location, fetch });

test('a process that only enqueues needs the address of the gateway, and no API key', async () => {
  const store = memoryStore();
  const enqueues = createOutbox({ client: keyless(), store });
  await enqueues.reportBetEvent(betEvent({ bet_id: 'B-1' }));
  await enqueues.reportAll([{ operation: 'reportSettledBet', payload: settledBet({ bet_id: 'B-1' }) }]);
  const prepared = await enqueues.prepare('reportBetEvent', betEvent({ bet_id: 'B-2' }));
  expect(prepared.id).toContain('B-2');

  const sends = createOutbox({ client: createClient(gateway.clientOptions()), store });
  sends.start();
  await sends.drain();
  await sends.stop();
  expect(gateway.reports().map(({ operation, reference }) => [operation, reference])).toEqual([
    ['reportBetEvent', 'B-1'],
    ['reportSettledBet', 'B-1'],
  ]);
});

test('a worker says at its start that the key is missing', async () => {
  const outbox = createOutbox({ client: keyless(), store: memoryStore() });
  expect(() => outbox.start()).toThrow(
    'start: account default can send nothing: the staging gateway is not set up; missing: gateways.staging.apiKey (or LOCATION_SDK_STAGING_API_KEY).',
  );
  // One environment is enough: the other may belong to another process.
  const { staging } = gateway.clientOptions().gateways;
  const other = createClient({ gateways: { staging, production: { baseUrl } }, location, fetch });
  const both = createOutbox({ client: other, store: memoryStore() });
  both.start();
  await both.stop();
});

test('a call that sends needs the key, and an outbox the address', async () => {
  expect(await failureOf(keyless().reportBetEvent(betEvent()))).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('missing: gateways.staging.apiKey'),
  });
  const outbox = createOutbox({ client: createClient({ location }), store: memoryStore() });
  expect(await failureOf(outbox.reportBetEvent(betEvent()))).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('missing: gateways.staging.baseUrl'),
  });
});
