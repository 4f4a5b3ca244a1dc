import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent, getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../src/client/options.js';
import { nodeTransport } from '../../src/node/transport/node-transport.js';
import { authority, certificateKey, ofElsewhere, ofUnknownAuthority } from '../support/certificates.js';
import { ask, listening, transports } from './transports.js';

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy'];
const first = getGlobalDispatcher();
const opened: Dispatcher[] = [];

afterEach(async () => {
  setGlobalDispatcher(first);
  for (const name of PROXY_VARIABLES) delete process.env[name];
  await Promise.all(opened.splice(0).map((dispatcher) => dispatcher.destroy()));
});

const keep = <D extends Dispatcher>(dispatcher: D): D => {
  opened.push(dispatcher);
  return dispatcher;
};

async function gateway(cert = ofUnknownAuthority) {
  const server = createServer({ key: certificateKey, cert }, (_, response) => response.end('{"message":"kept"}'));
  return `https://localhost:${await listening(server)}`;
}

/** A proxy that opens tunnels, or refuses to, and counts who asks. */
async function proxy(status = 200) {
  const told = { address: '', tunnels: 0 };
  const server = createPlainServer();
  server.on('connect', (request, socket) => {
    told.tunnels += 1;
    socket.on('error', () => {});
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
  });
  told.address = `http://127.0.0.1:${await listening(server)}`;
  return told;
}

const trusting = { ca: authority };

describe.each(transports())('by %s', (_, by: ClientOptions) => {
  it('HTTPS_PROXY alone changes nothing', async () => {
    const told = await proxy();
    process.env.HTTPS_PROXY = told.address;
    expect(await ask(await gateway(), by)).toMatchObject({ code: 'network', outcome: 'not-sent' });
    expect(told.tunnels).toBe(0);
  });

  it('a proxy that setGlobalDispatcher set is used', async () => {
    const told = await proxy();
    setGlobalDispatcher(keep(new ProxyAgent({ uri: told.address, requestTls: trusting })));
    expect(await ask(await gateway(), by)).toMatchObject({ outcome: 'recorded', message: 'kept' });
    expect(told.tunnels).toBe(1);
  });

  it('HTTPS_PROXY and NO_PROXY are followed where an EnvHttpProxyAgent is set', async () => {
    const told = await proxy();
    const baseUrl = await gateway();
    process.env.HTTPS_PROXY = told.address;
    setGlobalDispatcher(keep(new EnvHttpProxyAgent({ requestTls: trusting, connect: trusting })));
    expect(await ask(baseUrl, by)).toMatchObject({ outcome: 'recorded' });
    expect(told.tunnels).toBe(1);
    process.env.NO_PROXY = 'localhost';
    setGlobalDispatcher(keep(new EnvHttpProxyAgent({ requestTls: trusting, connect: trusting })));
    expect(await ask(baseUrl, by)).toMatchObject({ outcome: 'recorded' });
    expect(told.tunnels).toBe(1);
  });

  it('an authority that an Agent set for all trusts is trusted', async () => {
    setGlobalDispatcher(keep(new Agent({ connect: trusting })));
    expect(await ask(await gateway(), by)).toMatchObject({ outcome: 'recorded' });
  });

  it("a trusted authority's certificate for another host is refused, and the error asks for the address", async () => {
    setGlobalDispatcher(keep(new Agent({ connect: trusting })));
    const error = await ask(await gateway(ofElsewhere), by);
    expect(error).toMatchObject({ code: 'network', outcome: 'not-sent', retryable: false });
    expect((error as Error).message).toContain('(ERR_TLS_CERT_ALTNAME_INVALID); the certificate is for another name: is the base address right?');
    expect((error as Error).message).not.toContain('elsewhere');
  });

  it('a proxy where nobody listens is certainly not sent', async () => {
    setGlobalDispatcher(keep(new ProxyAgent('http://127.0.0.1:9')));
    expect(await ask(await gateway(), by)).toMatchObject({ code: 'network', outcome: 'not-sent' });
  });

  it.each([403, 407, 502])('a proxy that answers %i opens no way, and tells no password', async (status) => {
    const told = await proxy(status);
    setGlobalDispatcher(keep(new ProxyAgent({ uri: told.address, token: 'Basic canary-password' })));
    const error = await ask(await gateway(), by);
    expect(error).toMatchObject({ code: 'network', outcome: 'not-sent', retryable: true });
    expect((error as Error).message).toContain(`the proxy opened no way to the other side (HTTP ${status})`);
    expect(JSON.stringify(error)).not.toContain('canary-password');
  });
});

describe('nodeTransport({ dispatcher })', () => {
  it('goes by what it is given, before what is set for all, and leaves it open', async () => {
    const told = await proxy();
    setGlobalDispatcher(keep(new ProxyAgent('http://127.0.0.1:9')));
    const dispatcher = keep(new ProxyAgent({ uri: told.address, requestTls: trusting }));
    const transport = nodeTransport({ dispatcher });
    const baseUrl = await gateway();
    expect(await ask(baseUrl, { transport })).toMatchObject({ outcome: 'recorded' });
    await transport.close();
    expect(await ask(baseUrl, { transport: nodeTransport({ dispatcher }) })).toMatchObject({ outcome: 'recorded' });
  });

  it.each([null, 'http://proxy', {}])('refuses %j', (dispatcher) => {
    expect(() => nodeTransport({ dispatcher: dispatcher as never })).toThrow('dispatcher: expected a dispatcher of undici');
  });

  it('is asked for where another copy of undici has set one for all', () => {
    class EnvHttpProxyAgent {
      dispatch() {}
    }
    setGlobalDispatcher(new EnvHttpProxyAgent() as never);
    expect(() => nodeTransport()).toThrow('(EnvHttpProxyAgent)');
    const dispatcher = keep(new Agent());
    expect(() => nodeTransport({ dispatcher })).not.toThrow();
  });
});
