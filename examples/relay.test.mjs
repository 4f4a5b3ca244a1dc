// A page's report through a relay, without a browser: `node --test examples/relay.test.mjs`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createRelay } from 'location-sdk/relay';

test('a page reports a bet through the relay', async () => {
  const gateway = createMockGateway({ validation: 'partial' });
  const relay = createRelay({
    client: createClient(gateway.clientOptions()),
    authorize: () => ({ user: { user_id: 'U-1' } }),
  });
  const site = 'https://play.example.com';
  const request = new Request(`${site}/relay/report-bet-event`, {
    method: 'POST',
    headers: {
      origin: site,
      'content-type': 'application/json',
      'x-location-sdk': '1',
    },
    body: JSON.stringify({ bet_id: 'B-1', amount: 1500 }),
  });
  const answer = await relay(request, { remoteAddress: '8.8.8.8' });

  assert.equal(answer.status, 200);
  assert.equal(gateway.reports().length, 1);
});
