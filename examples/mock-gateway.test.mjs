// A unit test with the mock gateway: `node --test examples/mock-gateway.test.mjs`.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';

// Only the identifiers are required.
const gateway = createMockGateway({ validation: 'partial' });
// No waiting between attempts.
const options = { ...gateway.clientOptions(), retry: { baseMs: 0 } };
const client = createClient(options);
const bet = { bet_id: 'B-1', user: { user_id: 'U-1' } };

// Deletes reports, requests and faults, and ends requests that hang.
beforeEach(() => gateway.reset());

test('which reports the gateway has', async () => {
  await client.reportBetEvent(bet);
  assert.deepEqual(
    gateway.reports().map(({ operation, reference }) => [operation, reference]),
    [['reportBetEvent', 'B-1']],
  );
  assert.equal(gateway.reports('staging', { reference: 'B-2' }).length, 0);
});

test('which requests came, and whether each was recorded', async () => {
  gateway.faults.add({ kind: 'status', status: 503 });
  await client.reportBetEvent(bet);
  const requests = gateway.requests();
  assert.deepEqual(
    requests.map(({ status, applied, fault }) => [status, applied, fault]),
    [
      [503, false, 'status'],
      [200, true, undefined],
    ],
  );
});

test('waiting for a report, instead of sleeping', async () => {
  setTimeout(() => client.reportBetEvent(bet), 20); // somewhere in your code
  const recorded = { reference: 'B-1', applied: true };
  const { status } = await gateway.waitFor(recorded, { timeoutMs: 2_000 });
  assert.equal(status, 200);
});

test('a test that begins with a recorded bet', async () => {
  gateway.seed([{ operation: 'reportBetEvent', body: bet }]);
  const receipt = await client.reportSettledBet({ ...bet, outcome: 'LOSS' });
  assert.equal(receipt.outcome, 'recorded');
});
