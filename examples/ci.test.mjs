// An operator's tests of its own code without the gateway: `node --test examples/ci.test.mjs`.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createClient, isReportingError } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { serve } from 'location-sdk/node';

/**
 * The code under test. In your project it is imported. It gets its client as an argument, so that a test can pass one.
 *
 * @param {import('location-sdk').Client} client
 * @param {import('location-sdk').BetEvent} bet
 * @param {string} clientIP
 */
async function placeBet(client, bet, clientIP) {
  try {
    return await client.reportBetEvent(bet, { clientIP });
  } catch (error) {
    if (isReportingError(error) && error.outcome === 'unknown') return client.resend(error);
    throw error;
  }
}

const user = {
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: '2034567890123',
};
const bet = { bet_id: 'BET-1', amount: 1500, user };
const clientIP = '203.0.113.7';

describe('in one process: the mock gateway is the client’s fetch', () => {
  const gateway = createMockGateway();
  // No waits between attempts, so that tests are fast.
  const client = createClient({ ...gateway.clientOptions(), retry: { baseMs: 0 } });
  beforeEach(() => gateway.reset());

  test('a bet is reported once, with a location', async () => {
    const receipt = await placeBet(client, bet, clientIP);
    assert.equal(receipt.outcome, 'recorded');
    const [report, ...others] = gateway.reports();
    assert.deepEqual(others, []);
    assert.equal(report?.reference, 'BET-1');
    assert.equal(report?.body.amount, 1500);
    assert.ok(report?.body.location);
  });

  test('a bet whose answers are lost is reported once', async () => {
    gateway.faults.add({ operation: 'reportBetEvent', kind: 'connection-reset', when: 'after', times: 3 });
    const receipt = await placeBet(client, bet, clientIP);
    assert.equal(receipt.outcome, 'already-recorded');
    assert.equal(gateway.reports().length, 1);
  });

  test('a gateway that fails for a moment costs one attempt, not the bet', async () => {
    gateway.faults.add({ kind: 'status', status: 503 });
    const receipt = await placeBet(client, bet, clientIP);
    assert.equal(receipt.attempts, 2);
  });

  test('the same bet placed twice is refused the second time', async () => {
    await placeBet(client, bet, clientIP);
    await assert.rejects(
      placeBet(client, { ...bet, amount: 2000 }, clientIP),
      (error) => isReportingError(error) && error.code === 'duplicate' && error.conflict,
    );
  });

  test('a bet with a wrong NIN is not sent', async () => {
    const wrong = { ...bet, user: { ...user, nin: '123' } };
    await assert.rejects(
      placeBet(client, wrong, clientIP),
      (error) => isReportingError(error) && error.code === 'validation' && error.issues[0]?.path === 'user.nin',
    );
    assert.deepEqual(gateway.reports(), []);
  });
});

describe('a whole suite, switched by LOCATION_SDK_MOCK', () => {
  /** @type {import('location-sdk/node').MockServer} */
  let server;
  const outside = process.env.LOCATION_SDK_MOCK;

  before(async () => {
    server = await serve();
    // A pipeline sets it before the application starts.
    process.env.LOCATION_SDK_MOCK = server.url;
  });
  after(async () => {
    if (outside === undefined) delete process.env.LOCATION_SDK_MOCK;
    else process.env.LOCATION_SDK_MOCK = outside;
    await server.close();
  });

  test('all staging requests go to the mock gateway, for any options of the code', async () => {
    const application = createClient({
      gateways: { staging: { baseUrl: 'https://staging-gateway.example.com', apiKey: 'the-staging-key' } },
      logger: { warn: () => undefined },
    });
    const receipt = await placeBet(application, bet, clientIP);
    assert.equal(receipt.environment, 'staging');
    assert.equal(receipt.location?.source, 'mock');
    assert.equal(server.gateway.reports('staging').length, 1);
  });
});
