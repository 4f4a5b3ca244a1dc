import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { serve } from '../../../src/http/node/serve.js';
import { createMockGateway } from '../../../src/testing/mock/gateway.js';
import { failureOf } from '../../support/failure-of.js';
import { listening } from '../../support/listen.js';
import { bet } from './scripted-gateway.js';
import { transports } from './transports.js';

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
  return `http://127.0.0.1:${await listening(createServer((_, response) => answer(response)))}`;
}

describe.each(transports())('over a real socket, by %s', (_, by) => {
  const clientOf = (baseUrl: string, options: ClientOptions = {}) =>
    createClient({ gateways: { staging: { baseUrl, apiKey: 'key-1' } }, retry: { limit: 0 }, ...by, ...options });

  it('an answer cut off after recording is followed by a duplicate, and so is already recorded', async () => {
    const { gateway, clientOptions } = await mockServer();
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    const client = createClient({ ...clientOptions(), ...by, retry: { baseMs: 1 } });
    expect(await client.reportBetEvent(event)).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
    expect(gateway.reports()).toHaveLength(1);
  });

  it('a closed port is certainly not sent', async () => {
    const { url, close } = await serve(createMockGateway());
    await close();
    expect(await failureOf(clientOf(url).reportSettledBet(bet))).toMatchObject({
      code: 'network',
      outcome: 'not-sent',
    });
  });

  it('a connection that the server closes while it is idle, before any byte of an answer, is unknown', async () => {
    let asked = 0;
    const url = await server((response) => {
      asked += 1;
      if (asked > 1) return response.req.socket.resetAndDestroy();
      response.end('{"message":"recorded"}');
    });
    const client = clientOf(url);
    await client.reportSettledBet(bet);
    expect(await failureOf(client.reportSettledBet({ ...bet, bet_id: 'B-2' }))).toMatchObject({
      code: 'network',
      outcome: 'unknown',
      attempts: 1,
    });
    expect(asked).toBe(2);
  });

  it('a connection that the server closes gracefully while it is idle is replaced, and nothing is in doubt', async () => {
    const sockets: Socket[] = [];
    const url = await server((response) => {
      sockets.push(response.req.socket);
      response.end('{"message":"recorded"}');
    });
    const client = clientOf(url);
    await client.reportSettledBet(bet);
    const closed = sockets[0] && once(sockets[0], 'close');
    sockets[0]?.end();
    await closed;
    expect(await client.reportSettledBet({ ...bet, bet_id: 'B-2' })).toMatchObject({
      outcome: 'recorded',
      attempts: 1,
    });
    expect(new Set(sockets).size).toBe(2);
  });

  it('a connection that is reset before its request was read is unknown', async () => {
    const port = await listening(
      createTcpServer((socket) => void socket.once('readable', () => socket.resetAndDestroy())),
    );
    expect(await failureOf(clientOf(`http://127.0.0.1:${port}`).reportSettledBet(bet))).toMatchObject({
      code: 'network',
      outcome: 'unknown',
    });
  });

  it('a name that does not exist is certainly not sent', async () => {
    expect(await failureOf(clientOf('https://nowhere.invalid').reportSettledBet(bet))).toMatchObject({
      code: 'network',
      outcome: 'not-sent',
    });
  });

  it('only the built-in fetch asks for a compressed answer', async () => {
    let encodings: string | string[] | undefined;
    const url = await server((response) => {
      encodings = response.req.headers['accept-encoding'];
      response.end('{}');
    });
    await clientOf(url).reportSettledBet(bet);
    if (by.transport) expect(encodings).toBeUndefined();
    else expect(encodings).toContain('gzip');
  });

  it('only the built-in fetch refuses a port that the web forbids', async () => {
    const error = await failureOf(clientOf('http://127.0.0.1:6667').reportSettledBet(bet));
    if (by.transport) expect(error.message).not.toContain('bad port');
    else
      expect(error).toMatchObject({
        code: 'network',
        outcome: 'not-sent',
        message: expect.stringContaining('bad port'),
      });
  });

  describe('before the connection stands, nothing was sent, and only nodeTransport() tells', () => {
    const outcome = by.transport ? 'not-sent' : 'unknown';

    /** The address of a server that does this with a connection once the TLS handshake began. It never answers. */
    async function withoutHandshake(begun: (socket: Socket) => void = () => {}): Promise<string> {
      const sockets = new Set<Socket>();
      const silent = createTcpServer((socket) => {
        sockets.add(socket.on('error', () => {}));
        socket.once('data', () => begun(socket));
      });
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy();
      });
      return `https://127.0.0.1:${await listening(silent)}`;
    }

    it('if the time is over', async () => {
      const url = await withoutHandshake();
      expect(await failureOf(clientOf(url, { attemptTimeoutMs: 200 }).reportSettledBet(bet))).toMatchObject({
        code: 'timeout',
        outcome,
      });
    });

    it('if the caller cancels', async () => {
      const calling = new AbortController();
      const url = await withoutHandshake(() => calling.abort());
      expect(await failureOf(clientOf(url).reportSettledBet(bet, { signal: calling.signal }))).toMatchObject({
        code: 'aborted',
        outcome,
      });
    });

    it('if the connection breaks', async () => {
      const url = await withoutHandshake((socket) => socket.resetAndDestroy());
      expect(await failureOf(clientOf(url).reportSettledBet(bet))).toMatchObject({ code: 'network', outcome });
    });
  });

  it('the headers are the same, and no error shows the key', async () => {
    let headers: IncomingHttpHeaders = {};
    const url = await server((response) => {
      headers = response.req.headers;
      response.req.socket.resetAndDestroy();
    });
    const error = await failureOf(
      clientOf(url, { gateways: { staging: { baseUrl: url, apiKey: 'canary-key-4711' } } }).reportSettledBet(bet),
    );
    expect(headers).toMatchObject({
      'x-api-key': 'canary-key-4711',
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'node',
    });
    expect(headers['content-length']).toBe(String(JSON.stringify(bet).length));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary-key-4711');
  });
});

describe("a program that replaces the platform's fetch", () => {
  const platform = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = platform;
  });

  it.each<[string, typeof fetch]>([
    [
      'and reads a Request of its own before it passes on what it got',
      async (address, init) => {
        await new Request(address, init).text();
        return platform(address, init);
      },
    ],
    ['and passes on a Request of its own', (address, init) => platform(new Request(address, init))],
    [
      'and passes on the address and the init',
      (address, init) => {
        const { url, method, headers } = new Request(address, init);
        return platform(url, { ...init, method, headers });
      },
    ],
  ])('%s gets the whole report sent', async (_, replaced) => {
    const { gateway, clientOptions } = await mockServer();
    const client = createClient({ ...clientOptions(), retry: { limit: 0 } });
    globalThis.fetch = replaced;
    const sent = { ...event, timestamp: '1795161600', user: { ...bet.user, last_name: 'Ọláńrewájú' } };
    expect(await client.reportBetEvent(sent)).toMatchObject({ outcome: 'recorded' });
    expect(gateway.reports().map(({ body }) => body)).toMatchObject([sent]);
  });
});
