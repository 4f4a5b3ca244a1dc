import { expect, test } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { serve } from '../../../src/entries/node.js';
import { betEvent } from '../../support/factories.js';

test("a rule is a copy: later changes of the caller's object have no effect", async () => {
  const gateway = createMockGateway();
  const headers: Record<string, string> = { 'x-one': '1' };
  gateway.faults.add({ kind: 'status', status: 503, headers });
  headers['x\n'] = 'y';
  const [listed] = gateway.faults.list();
  expect(listed?.headers).toEqual({ 'x-one': '1' });
});

test.each(['Content-Length', 'transfer-encoding', 'Trailer', 'Connection'])(
  'a fault cannot set %s, which would prevent an answer',
  (name) => {
    expect(() => createMockGateway().faults.add({ kind: 'status', headers: { [name]: '1' } })).toThrow('headers');
  },
);

test('headers of a fault replace those of the gateway, in any spelling', async () => {
  const gateway = createMockGateway();
  gateway.faults.add({ kind: 'status', status: 503, headers: { 'Content-Type': 'text/plain' } });
  const { gateways } = gateway.clientOptions();
  const address = `${gateways.staging.baseUrl}/integration-gateway/external/report-bet-event`;
  const answer = await gateway.fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateways.staging.apiKey },
    body: '{}',
  });
  expect(answer.headers.get('content-type')).toBe('text/plain');
});

test('a journal entry cannot be changed, and an unknown path that contains a number does not show it', async () => {
  const gateway = createMockGateway();
  await gateway.fetch('http://mock-gateway.localhost/nin/verify/99012345678', { method: 'POST' });
  const [entry] = gateway.requests();
  expect(entry?.path).toBe('/nin/verify/[masked]');
  expect(() => Object.assign(entry ?? {}, { status: 1 })).toThrow(TypeError);
});

test('a server on all interfaces gives its own machine an address that a client can use', async () => {
  const server = await serve(createMockGateway(), { host: '0.0.0.0', adminToken: 'token-1' });
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(await createClient(server.clientOptions()).reportBetEvent(betEvent())).toMatchObject({ outcome: 'recorded' });
  await server.close();
});

test('requests from another site are refused, also without an Origin', async () => {
  const server = await serve();
  const answer = await fetch(`${server.url}/__admin/reset`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  expect(answer.status).toBe(403);
  await server.close();
});

test('the journal contains the answer that was sent, not the one that a fault replaced', async () => {
  const gateway = createMockGateway();
  const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
  gateway.faults.add({ kind: 'status', status: 503, when: 'after' });
  gateway.faults.add({ kind: 'empty-body', when: 'after' });
  await client.reportBetEvent(betEvent()).catch(() => undefined);
  await client.reportBetEvent(betEvent({ bet_id: 'BET-2' }));
  expect(gateway.requests().map(({ status, answer }) => [status, answer])).toEqual([
    [503, { message: 'Told to answer so', error: 'Service Unavailable', statusCode: 503 }],
    [200, undefined],
  ]);
});
