import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client.js';
import type { ReportingError } from '../../src/errors.js';
import { createMockGateway } from '../../src/mock/gateway.js';
import { serve } from '../../src/node/serve.js';
import { bet } from './scripted-gateway.js';

const open: { close(): unknown }[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

const event = { bet_id: 'B-1', amount: 1500, user: bet.user };

async function mockServer() {
  const server = await serve(createMockGateway());
  open.push(server);
  return server;
}

/** A server that answers as the test says. */
async function server(answer: (response: ServerResponse) => void): Promise<string> {
  const listening: Server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      listening.closeAllConnections();
      listening.close();
    },
  });
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

const clientOf = (baseUrl: string, options = {}) => createClient({ gateways: { staging: { baseUrl, apiKey: 'key-1' } }, retry: { limit: 0 }, ...options });

const failure = (call: Promise<unknown>) =>
  call.then(
    () => Promise.reject(new Error('should have failed')),
    (error: ReportingError) => error,
  );

describe('over a real socket', () => {
  it('an answer cut off after recording is followed by a duplicate, and so is already recorded', async () => {
    const { gateway, clientOptions } = await mockServer();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    const client = createClient({ ...clientOptions(), retry: { baseMs: 1 } });
    expect(await client.reportBetEvent(event)).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
    expect(gateway.reports()).toHaveLength(1);
  });

  it('the same duplicate on a first attempt is an error', async () => {
    const { clientOptions } = await mockServer();
    const client = createClient({ ...clientOptions() });
    const dated = { ...event, timestamp: '1795161600' };
    await client.reportBetEvent(dated);
    expect(await failure(client.reportBetEvent(dated))).toMatchObject({ code: 'duplicate', conflict: false, outcome: 'rejected', attempts: 1 });
  });

  it('an answer cut off, and no attempt left, is unknown until it is sent again', async () => {
    const { gateway, clientOptions } = await mockServer();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    const client = createClient({ ...clientOptions(), retry: { limit: 0 } });
    const error = await failure(client.reportBetEvent(event));
    expect(error).toMatchObject({ code: 'network', outcome: 'unknown' });
    expect(await client.resend(error)).toMatchObject({ outcome: 'already-recorded' });
  });

  it('a port where nobody listens is certainly not sent', async () => {
    const { url, close } = await serve(createMockGateway());
    await close();
    expect(await failure(clientOf(url).reportSettledBet(bet))).toMatchObject({ code: 'network', outcome: 'not-sent' });
  });

  it('a body that breaks off is unknown', async () => {
    const url = await server((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"message":', () => response.destroy());
    });
    expect(await failure(clientOf(url).reportSettledBet(bet))).toMatchObject({ code: 'network', outcome: 'unknown' });
  });

  it('a body that comes too slowly ends in time', async () => {
    const url = await server((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    expect(await failure(clientOf(url, { attemptTimeoutMs: 100 }).reportSettledBet(bet))).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  it('a redirect is not followed', async () => {
    let asked = 0;
    const url = await server((response) => {
      asked += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await failure(clientOf(url).reportSettledBet(bet))).toMatchObject({ code: 'gateway', status: 307, outcome: 'unknown' });
    expect(asked).toBe(1);
  });
});
