import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createClient, NetworkError } from '../../../src/entries/index.js';
import { createMockGateway, type FaultRule, openApiDocument } from '../../../src/entries/mock.js';
import { type MockServer, serve } from '../../../src/entries/node.js';
import type { ServeOptions } from '../../../src/http/node/serve.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';

const open: MockServer[] = [];

async function serving(options?: ServeOptions) {
  const server = await serve(createMockGateway(), options);
  open.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const portOf = ({ url }: MockServer) => Number(new URL(url).port);

/** How a connection ends: the code of its error, or `closed`. */
const endOf = (socket: Socket) =>
  new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    socket.on('close', () => resolve('closed'));
    socket.resume();
  });

const rawPost = (body: string) =>
  `POST /integration-gateway/external/report-bet-event HTTP/1.1\r\nHost: x\r\nx-api-key: mock-api-key\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test('the four steps and a verification work over a real socket', async () => {
  const { gateway, clientOptions } = await serving();
  const client = createClient(clientOptions());
  await client.reportBetEvent(betEvent());
  await client.reportSettledBet(settledBet());
  const { location } = await client.reportWithdrawalEvent(withdrawalEvent());
  await client.reportSettledWithdrawal(settledWithdrawal({ location } as never));
  expect(gateway.reports()).toHaveLength(4);
  expect(await client.verifyNin('99012345678')).toMatchObject({ success: true });
});

test('production is below /production', async () => {
  const { gateway, clientOptions } = await serving();
  await createClient(clientOptions()).reportBetEvent(betEvent(), { environment: 'production' });
  expect([gateway.reports().length, gateway.reports('production').length]).toEqual([0, 1]);
});

test('names and marks of any script arrive unchanged', async () => {
  const { gateway, clientOptions } = await serving();
  const bet = betEvent({ bet_id: 'b/1?x=1#y', metadata: { note: 'Ọlá-Olúwa \u{1F600}\n"N\'Golo"' } });
  await createClient(clientOptions()).reportBetEvent(bet);
  expect(gateway.reports()[0]?.body).toMatchObject({ bet_id: bet.bet_id, metadata: bet.metadata });
});

test('it listens on loopback, on a free port', async () => {
  const first = await serving();
  const second = await serving();
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(portOf(first)).not.toBe(portOf(second));
});

test('a port in use rejects', async () => {
  const port = portOf(await serving());
  await expect(serve(createMockGateway(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('close ends open connections, and the port is free afterwards', async () => {
  const server = await serving();
  const idle = connect(portOf(server), '127.0.0.1');
  const halfway = connect(portOf(server), '127.0.0.1');
  await Promise.all([idle, halfway].map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  halfway.write(rawPost('{}').slice(0, -5));
  const ends = [endOf(idle), endOf(halfway)];
  await server.close();
  for (const end of await Promise.all(ends)) expect(['closed', 'ECONNRESET']).toContain(end);
  const error = await failureOf(
    createClient({ ...server.clientOptions(), retry: { limit: 0 } }).reportBetEvent(betEvent()),
  );
  expect(error).toBeInstanceOf(NetworkError);
  expect(error).toMatchObject({ outcome: 'not-sent', retryable: true });
  expect(error.message).toContain('ECONNREFUSED');
});

test('closing twice is harmless', async () => {
  const server = await serve();
  await server.close();
  await expect(server.close()).resolves.toBeUndefined();
});

test.each([1024 * 1024 + 1, 8 * 1024 * 1024])('a body of %i bytes, more than 1 MiB, is 413', async (length) => {
  const { url } = await serving();
  const response = await fetch(`${url}/integration-gateway/external/report-bet-event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
    body: 'x'.repeat(length),
  });
  expect(response.status).toBe(413);
  await response.text();
});

test('a page may send a preflight', async () => {
  const { url } = await serving();
  const headers = { 'access-control-request-method': 'POST', origin: 'https://shop.example' };
  const response = await fetch(`${url}/integration-gateway/external/report-bet-event`, { method: 'OPTIONS', headers });
  expect(response.status).toBe(204);
});

test.each(['0.0.0.0', '::', '192.0.2.1', 'mock.example'])(
  'on %s, which other machines reach, it needs an admin token',
  async (host) => {
    await expect(serve(createMockGateway(), { host })).rejects.toThrow(/adminToken/);
  },
);

test.each(['127.0.0.1', 'localhost', '127.1.2.3'])('on %s it needs none', async (host) => {
  const { url } = await serving({ host });
  expect((await fetch(`${url}/__admin/health`)).status).toBe(200);
});

test('with an admin token it accepts reports without it, and shows them only with it', async () => {
  const server = await serving({ host: '0.0.0.0', adminToken: 's3cret' });
  const url = `http://127.0.0.1:${portOf(server)}`;
  await createClient(server.gateway.clientOptions(url) as never).reportBetEvent(betEvent());
  expect((await fetch(`${url}/__admin/reports`)).status).toBe(401);
  const shown = await fetch(`${url}/__admin/reports`, { headers: { authorization: 'Bearer s3cret' } });
  expect(await shown.json()).toMatchObject({ reports: [{ reference: 'BET-1' }] });
});

test('its own OpenAPI document names its address, and follows its validation and its status of a repeated report', async () => {
  const server = await serve(createMockGateway({ validation: 'partial', duplicateStatus: 418 }));
  open.push(server);
  const document = await (await fetch(`${server.url}/__admin/openapi.json`)).json();
  expect(document).toEqual(
    JSON.parse(JSON.stringify(openApiDocument({ address: server.url, validation: 'partial', duplicateStatus: 418 }))),
  );
  for (const { post } of Object.values<{ post: { operationId: string; responses: object } }>(document.paths))
    expect(Object.keys(post.responses)).toEqual(
      post.operationId === 'verifyNin' ? expect.not.arrayContaining(['418']) : expect.arrayContaining(['418']),
    );
  const [staging, production] = document.servers;
  expect([staging.variables.staging_base_url.default, production.variables.base_url.default]).toEqual([
    server.url,
    `${server.url}/production`,
  ]);
});

test.each(['', 'two words', 'naïve'])('the admin token %j is refused', async (adminToken) => {
  await expect(serve(createMockGateway(), { adminToken })).rejects.toThrow(TypeError);
});

test.each<FaultRule>([
  { kind: 'hang' },
  { kind: 'latency', delay: 600_000 },
  { kind: 'latency', when: 'after', delay: 600_000 },
  { kind: 'slow-body', delay: 600_000 },
])('close ends pending requests: %j', async (fault) => {
  const server = await serving();
  server.gateway.faults.add(fault);
  const socket = connect(portOf(server), '127.0.0.1');
  const ended = endOf(socket);
  const arrived = server.gateway.waitFor({}).catch(() => undefined);
  const latencyBefore = fault.kind === 'latency' && fault.when === undefined;
  socket.write(rawPost('{}'));
  if (latencyBefore)
    while (server.gateway.faults.list()[0]?.struck !== 1) await new Promise((resolve) => setTimeout(resolve));
  else await arrived;
  await server.close();
  expect(['closed', 'ECONNRESET']).toContain(await ended);
  await arrived;
});

test('close ends a wait for a request', async () => {
  const server = await serving();
  const waiting = fetch(`${server.url}/__admin/requests/wait`, { method: 'POST', body: '{"timeoutMs":60000}' });
  const failed = expect(waiting).rejects.toThrow();
  await fetch(`${server.url}/__admin/health`);
  await server.close();
  await failed;
});

test('LOCATION_SDK_MOCK sends the reports of a client for https gateways here', async () => {
  const server = await serving();
  vi.stubEnv('LOCATION_SDK_MOCK', server.url);
  const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'secret' } };
  await createClient({ gateways, logger: {} }).reportBetEvent(betEvent());
  vi.unstubAllEnvs();
  const { reports } = await (await fetch(`${server.url}/__admin/reports`)).json();
  expect(reports).toMatchObject([{ environment: 'staging', reference: 'BET-1' }]);
});
