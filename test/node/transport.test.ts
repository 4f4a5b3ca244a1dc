import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client.js';
import { nodeTransport } from '../../src/node/transport.js';
import { bet } from '../delivery/scripted-gateway.js';

it.each([0, -1, 1.5, Number.NaN])('refuses %s connections', (connections) => {
  expect(() => nodeTransport({ connections })).toThrow('connections: expected a whole number from 1');
});

it('opens no more connections than it may, and keeps them', async () => {
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume().once('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = nodeTransport({ connections: 2 });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ gateways: { staging: { baseUrl, apiKey: 'key-1' } }, fetch: transport });
  const reports = Array.from({ length: 20 }, (_, index) => client.reportSettledBet({ ...bet, bet_id: `B-${index}` }));
  expect(new Set((await Promise.all(reports)).map(({ outcome }) => outcome))).toEqual(new Set(['recorded']));
  expect(sockets.size).toBe(2);
  await transport.close();
  server.close();
});

it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'])('an answer that breaks off with %s leaves the report in doubt', async (code) => {
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    const controller = {} as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseStart?.(controller, 200, {}, 'OK');
    handler.onResponseError?.(controller, Object.assign(new Error('no'), { code, syscall: 'connect' }));
    return true;
  };
  const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } };
  const client = createClient({ gateways, fetch: nodeTransport({ dispatcher: { dispatch } }), retry: { limit: 0 } });
  await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ code: 'network', outcome: 'unknown' });
});

it('does not ask where its signal is aborted already', async () => {
  const transport = nodeTransport();
  const init = { method: 'POST', headers: {}, body: '{}', signal: AbortSignal.abort() };
  await expect(transport('http://127.0.0.1:9/', init)).rejects.toMatchObject({ name: 'AbortError' });
  await transport.close();
});

it('lets a process end while a connection rests', () => {
  const script = `
    import { createServer } from 'node:http';
    import { Agent } from 'undici';
    import { nodeTransport } from ${JSON.stringify(new URL('../../dist/transport-node.js', import.meta.url).href)};
    const server = createServer((request, response) => response.end('{}')).listen(0, '127.0.0.1', async () => {
      const init = { method: 'POST', headers: {}, body: '{}', signal: new AbortController().signal };
      await (await nodeTransport()('http://127.0.0.1:' + server.address().port, init)).text();
      server.unref();
      console.log('answered', typeof Agent);
    });`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 20_000 });
  expect({ stdout, signal }).toEqual({ stdout: 'answered function\n', signal: null });
}, 30_000);
