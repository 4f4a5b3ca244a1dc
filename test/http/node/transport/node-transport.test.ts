import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { Agent, type Dispatcher, interceptors, RetryAgent } from 'undici';
import { expect, it, vi } from 'vitest';
import { createClient } from '../../../../src/core/client/create-client.js';
import { type Clock, systemClock } from '../../../../src/core/platform/time.js';
import { nodeTransport } from '../../../../src/http/node/transport/node-transport.js';
import { bet } from '../../../core/delivery/scripted-gateway.js';
import { listening } from '../../../support/listen.js';

const request = (url: string, body = '{}') => ({
  url,
  headers: {},
  body,
  credentials: 'omit' as const,
  keepalive: false,
});
const within = (signal?: AbortSignal, clock: Clock = systemClock) => ({ clock, signal, milliseconds: 10_000 });

it.each([0, -1, 1.5, Number.NaN])('refuses %s connections', (connections) => {
  expect(() => nodeTransport({ connections })).toThrow('connections: expected a whole number from 1');
});

it('opens no more connections than its limit, and keeps them', async () => {
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume().once('end', () => response.end('{}'));
  });
  const transport = nodeTransport({ connections: 2 });
  const baseUrl = `http://127.0.0.1:${await listening(server)}`;
  const client = createClient({ gateways: { staging: { baseUrl, apiKey: 'key-1' } }, transport });
  const reports = Array.from({ length: 20 }, (_, index) => client.reportSettledBet({ ...bet, bet_id: `B-${index}` }));
  expect(new Set((await Promise.all(reports)).map(({ outcome }) => outcome))).toEqual(new Set(['recorded']));
  expect(sockets.size).toBe(2);
  await transport.close();
});

it('opens 128 connections to an address by default, and no more', async () => {
  const sockets = new Set<unknown>();
  const answers: (() => void)[] = [];
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume().once('end', () => answers.push(() => response.end('{}')));
  });
  const transport = nodeTransport();
  const baseUrl = `http://127.0.0.1:${await listening(server)}`;
  const client = createClient({
    gateways: { staging: { baseUrl, apiKey: 'key-1' } },
    transport,
    attemptTimeoutMs: 50_000,
  });
  const reports = Promise.all(
    Array.from({ length: 140 }, (_, index) => client.reportSettledBet({ ...bet, bet_id: `B-${index}` })),
  );
  await vi.waitFor(() => expect(answers).toHaveLength(128), { timeout: 40_000, interval: 20 });
  for (let answered = 0; answered < 140; answered += 1) {
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(answered), { timeout: 40_000, interval: 5 });
    answers[answered]?.();
  }
  expect(new Set((await reports).map(({ outcome }) => outcome))).toEqual(new Set(['recorded']));
  expect(sockets.size).toBe(128);
  await transport.close();
});

it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'])(
  'an answer that breaks off with %s leaves the report in doubt',
  async (code) => {
    const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
      const controller = {} as Dispatcher.DispatchController;
      handler.onRequestStart?.(controller, undefined);
      handler.onResponseStart?.(controller, 200, {}, 'OK');
      handler.onResponseError?.(controller, Object.assign(new Error('no'), { code, syscall: 'connect' }));
      return true;
    };
    const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } };
    const client = createClient({
      gateways,
      transport: nodeTransport({ dispatcher: { dispatch } }),
      retry: { limit: 0 },
    });
    await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ code: 'network', outcome: 'unknown' });
  },
);

it('a connection that breaks while it is opened has sent nothing, and a later duplicate is not this report', async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    // In the TLS handshake.
    socket.once('data', () => socket.resetAndDestroy());
  });
  const transport = nodeTransport();
  const baseUrl = `https://127.0.0.1:${await listening(server)}`;
  const client = createClient({ gateways: { staging: { baseUrl, apiKey: 'key-1' } }, transport, retry: { limit: 0 } });
  await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ code: 'network', outcome: 'not-sent' });
  expect(connections).toBe(1);
  await transport.close();
});

it('a connection of your own dispatcher that breaks while it is opened leaves the report in doubt', async () => {
  const server = createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy()));
  const dispatcher = new Agent();
  const baseUrl = `https://127.0.0.1:${await listening(server)}`;
  const client = createClient({
    gateways: { staging: { baseUrl, apiKey: 'key-1' } },
    transport: nodeTransport({ dispatcher }),
    retry: { limit: 0 },
  });
  await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ code: 'network', outcome: 'unknown' });
  await dispatcher.close();
});

it('a dispatcher that repeats requests leaves the report in doubt, and sends it once', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (body) => bodies.push(body));
    request.once('end', () => response.destroy());
  });
  const dispatcher = new RetryAgent(new Agent(), { methods: ['POST'], maxRetries: 2, minTimeout: 1 });
  const baseUrl = `http://127.0.0.1:${await listening(server)}`;
  const client = createClient({
    gateways: { staging: { baseUrl, apiKey: 'key-1' } },
    transport: nodeTransport({ dispatcher }),
    retry: { limit: 0 },
  });
  await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ outcome: 'unknown' });
  expect(bodies).toHaveLength(1);
  await dispatcher.close();
});

it('a failure to connect after the request began leaves the report in doubt', async () => {
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    handler.onRequestStart?.({} as Dispatcher.DispatchController, undefined);
    handler.onResponseError?.(
      {} as Dispatcher.DispatchController,
      Object.assign(new Error('no'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    );
    return true;
  };
  const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } };
  const client = createClient({
    gateways,
    transport: nodeTransport({ dispatcher: { dispatch } }),
    retry: { limit: 0 },
  });
  await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ code: 'network', outcome: 'unknown' });
});

it('a request cancelled while it waits for a connection is never sent, through any handler', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (body) => bodies.push(body));
    request.once('end', () => setTimeout(() => response.end('{}'), 200));
  });
  const dispatcher = new Agent({ connections: 1 }).compose(interceptors.dump());
  const transport = nodeTransport({ dispatcher });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const ask = (body: string, signal?: AbortSignal) => transport.send(request(url, body), within(signal));
  const first = ask('first');
  const aborting = new AbortController();
  const second = ask('second', aborting.signal);
  aborting.abort();
  expect(await second).toEqual({ ended: 'aborted', unsent: true });
  await first;
  await ask('third');
  expect(bodies).toEqual(['first', 'third']);
  await dispatcher.close();
});

it('a dispatcher that throws when it is told to stop does not end the process', async () => {
  const abort = vi.fn(() => {
    throw new TypeError('no such handler');
  });
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    handler.onRequestStart?.({ abort } as unknown as Dispatcher.DispatchController, undefined);
    return true;
  };
  const transport = nodeTransport({ dispatcher: { dispatch } });
  const aborting = new AbortController();
  const asked = transport.send(request('https://gateway.example.com'), within(aborting.signal));
  aborting.abort();
  expect(await asked).toEqual({ ended: 'aborted', unsent: false });
  expect(abort).toHaveBeenCalledOnce();
  await transport.close();
});

it('a call that is cancelled in the turn in which its request failed stays in doubt', async () => {
  const aborting = new AbortController();
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    setTimeout(() => {
      handler.onResponseError?.(undefined as never, Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      aborting.abort();
    });
    return true;
  };
  const transport = nodeTransport({ dispatcher: { dispatch } });
  expect(await transport.send(request('https://gateway.example.com'), within(aborting.signal))).toEqual({
    ended: 'aborted',
    unsent: false,
  });
});

it('a request that fails after its time touches neither its timer again nor a later call with the same signal', async () => {
  const failures: (() => void)[] = [];
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    failures.push(() => handler.onResponseError?.(undefined as never, new Error('reset')));
    return true;
  };
  const transport = nodeTransport({ dispatcher: { dispatch } });
  const cleared = vi.fn();
  const clock = {
    ...systemClock,
    clearTimeout(timer: unknown) {
      cleared(timer);
      systemClock.clearTimeout(timer);
    },
  };
  const { signal } = new AbortController();
  const listeners = vi.spyOn(signal, 'addEventListener');
  const ask = (milliseconds: number) =>
    transport.send(request('https://gateway.example.com'), { clock, milliseconds, signal });
  expect(await ask(1)).toMatchObject({ ended: 'timeout' });
  const second = ask(5_000);
  failures[0]?.();
  await new Promise((resolve) => setTimeout(resolve));
  const third = ask(5_000);
  expect(cleared).toHaveBeenCalledTimes(1);
  expect(listeners).toHaveBeenCalledTimes(2);
  for (const fail of failures.slice(1)) fail();
  expect([await second, await third]).toMatchObject([{ ended: 'broken' }, { ended: 'broken' }]);
});

it('close waits for running requests, and later ones are not sent', async () => {
  const answers: (() => void)[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => answers.push(() => response.end('{}')));
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  const transport = nodeTransport({ connections: 1 });
  const first = transport.send(request(url), within());
  const aborting = new AbortController();
  const cancelled = transport.send(request(url), within(aborting.signal));
  const waiting = transport.send(request(url), within());
  aborting.abort();
  expect(await cancelled).toEqual({ ended: 'aborted', unsent: true });
  let isClosed = false;
  const closed = transport.close().then(() => {
    isClosed = true;
  });
  expect(await transport.send(request(url), within())).toMatchObject({ ended: 'broken', failure: { notSent: true } });
  for (let answered = 0; answered < 2; answered += 1) {
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(answered));
    expect(isClosed).toBe(false);
    answers[answered]?.();
  }
  expect([await first, await waiting]).toMatchObject([{ ended: 'answered' }, { ended: 'answered' }]);
  await closed;
  expect(answers).toHaveLength(2);
});

it('close does not wait for a dispatcher that never reports an end', async () => {
  const transport = nodeTransport({ dispatcher: { dispatch: () => true } });
  const aborting = new AbortController();
  const asked = transport.send(request('https://gateway.example.com'), within(aborting.signal));
  aborting.abort();
  expect(await asked).toMatchObject({ ended: 'aborted' });
  await transport.close();
});

it('sends nothing if its signal is already aborted', async () => {
  const dispatch = vi.fn(() => true);
  const transport = nodeTransport({ dispatcher: { dispatch } });
  expect(await transport.send(request('http://127.0.0.1:9/'), within(AbortSignal.abort()))).toEqual({
    ended: 'aborted',
    unsent: true,
  });
  expect(dispatch).not.toHaveBeenCalled();
});

it('lets a process end while a connection is idle', { tags: 'slow', timeout: 30_000 }, () => {
  const script = `
    import { createServer } from 'node:http';
    import { Agent } from 'undici';
    import { nodeTransport } from ${JSON.stringify(new URL('../../../../dist/transport-node.js', import.meta.url).href)};
    const server = createServer((request, response) => response.end('{}')).listen(0, '127.0.0.1', async () => {
      const clock = { now: Date.now, setTimeout, clearTimeout };
      const request = { url: 'http://127.0.0.1:' + server.address().port, headers: {}, body: '{}', credentials: 'omit', keepalive: false };
      await nodeTransport().send(request, { clock, milliseconds: 5_000 });
      server.unref();
      console.log('answered', typeof Agent);
    });`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ stdout, signal }).toEqual({ stdout: 'answered function\n', signal: null });
});
