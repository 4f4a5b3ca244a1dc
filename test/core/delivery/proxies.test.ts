import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import {
  Agent,
  type Dispatcher,
  EnvHttpProxyAgent,
  getGlobalDispatcher,
  ProxyAgent,
  setGlobalDispatcher,
} from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { nodeTransport } from '../../../src/http/node/transport/node-transport.js';
import { authority, certificateKey, ofElsewhere, ofUnknownAuthority } from '../../support/certificates.js';
import { listening } from '../../support/listen.js';
import { ask, transports } from './transports.js';

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

/** A proxy that opens tunnels, or refuses them, and counts its requests. */
async function proxy(status: number | 'closes' = 200) {
  const told = { address: '', tunnels: 0, open: 0, authorization: '' };
  const server = createPlainServer();
  server.on('connect', (request, socket) => {
    told.tunnels += 1;
    told.open += 1;
    socket.on('close', () => {
      told.open -= 1;
    });
    told.authorization = request.headers['proxy-authorization'] ?? '';
    socket.on('error', () => {});
    if (status === 'closes') return void socket.destroy();
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

  it('HTTPS_PROXY and NO_PROXY are used if an EnvHttpProxyAgent is set', async () => {
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

  it('an authority trusted by an Agent that is set for the process is trusted', async () => {
    setGlobalDispatcher(keep(new Agent({ connect: trusting })));
    expect(await ask(await gateway(), by)).toMatchObject({ outcome: 'recorded' });
  });

  it("a trusted authority's certificate for another host is refused, and the error asks for the address", async () => {
    setGlobalDispatcher(keep(new Agent({ connect: trusting })));
    const error = await ask(await gateway(ofElsewhere), by);
    expect(error).toMatchObject({ code: 'network', outcome: 'not-sent', retryable: false });
    expect((error as Error).message).toContain(
      '(ERR_TLS_CERT_ALTNAME_INVALID); the certificate is for another name: is the base address right?',
    );
    expect((error as Error).message).not.toContain('elsewhere');
  });

  it('a proxy on a closed port is certainly not sent', async () => {
    setGlobalDispatcher(keep(new ProxyAgent('http://127.0.0.1:9')));
    expect(await ask(await gateway(), by)).toMatchObject({ code: 'network', outcome: 'not-sent' });
  });

  it.each([403, 407, 502])('a proxy that answers %i refuses the tunnel, and no password is shown', async (status) => {
    const told = await proxy(status);
    setGlobalDispatcher(keep(new ProxyAgent({ uri: told.address, token: 'Basic canary-password' })));
    const error = await ask(await gateway(), by);
    expect(error).toMatchObject({ code: 'network', outcome: 'not-sent', retryable: true });
    expect((error as Error).message).toMatch(
      new RegExp(`the proxy refused a tunnel to \\S+:\\d+ \\(HTTP ${status}\\)`),
    );
    expect(JSON.stringify(error)).not.toContain('canary-password');
  });
});

/** A gateway on plain HTTP, which needs no trusted certificate. The tunnel is the same. */
async function plainGateway() {
  const server = createPlainServer((_, response) => response.end('{"message":"kept"}'));
  // Longer than any test waits: only the client closes a connection.
  server.keepAliveTimeout = 120_000;
  return `http://127.0.0.1:${await listening(server)}`;
}

describe("nodeTransport({ proxy: 'environment' })", () => {
  const PASSWORD = 'canary-pass%20word';
  const withPassword = (address: string) => address.replace('//', `//canary-user:${PASSWORD}@`);

  /** One report with the current variables. */
  async function askBy(baseUrl: string, variables: Record<string, string>) {
    Object.assign(process.env, variables);
    const transport = nodeTransport({ proxy: 'environment' });
    try {
      return await ask(baseUrl, { transport });
    } finally {
      await transport.close();
    }
  }

  it('goes through HTTPS_PROXY, with its user and password, which only the proxy gets', async () => {
    const told = await proxy();
    // The certificate is refused only at the end of the tunnel.
    const error = await askBy(await gateway(), { HTTPS_PROXY: withPassword(told.address) });
    expect(told.tunnels).toBe(1);
    expect(told.authorization).toBe(`Basic ${Buffer.from('canary-user:canary-pass word').toString('base64')}`);
    expect(error).toMatchObject({
      code: 'network',
      outcome: 'not-sent',
      message: expect.stringContaining('the certificate was refused'),
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/canary-(?:user|pass)/);
  });

  it('records a report through a tunnel, by lower case before upper case, and keeps connections', async () => {
    const told = await proxy();
    const baseUrl = await plainGateway();
    Object.assign(process.env, { http_proxy: told.address, HTTP_PROXY: 'http://127.0.0.1:9' });
    const transport = nodeTransport({ proxy: 'environment', connections: 1 });
    for (let reports = 0; reports < 5; reports += 1)
      expect(await ask(baseUrl, { transport })).toMatchObject({ outcome: 'recorded', message: 'kept' });
    await transport.close();
    expect([1, 2]).toContain(told.tunnels);
    await vi.waitFor(() => expect(told.open).toBe(0), 10_000);
    expect(await ask(baseUrl, { transport })).toMatchObject({ code: 'network', outcome: 'not-sent' });
  });

  it.each([
    ['NODE_USE_ENV_PROXY', '1'],
    ['NODE_OPTIONS', '--no-warnings --use-env-proxy'],
  ])('is the default if Node.js was told to use that proxy by %s', async (name, value) => {
    vi.stubEnv(name, value);
    const told = await proxy();
    process.env.HTTP_PROXY = told.address;
    // Node.js sets the one of its own undici, which the installed one does not know.
    setGlobalDispatcher(
      new (class EnvHttpProxyAgent {
        dispatch() {}
      })() as never,
    );
    const transport = nodeTransport();
    vi.unstubAllEnvs();
    expect(await ask(await plainGateway(), { transport })).toMatchObject({ outcome: 'recorded' });
    expect(told.tunnels).toBe(1);
    await transport.close();
  });

  it('reads the variables once, when the transport is made', async () => {
    const [told, later] = [await proxy(), await proxy()];
    const baseUrl = await plainGateway();
    process.env.HTTP_PROXY = told.address;
    const transport = nodeTransport({ proxy: 'environment' });
    Object.assign(process.env, { HTTP_PROXY: later.address, NO_PROXY: '*' });
    expect(await ask(baseUrl, { transport })).toMatchObject({ outcome: 'recorded' });
    expect([told.tunnels, later.tunnels]).toEqual([1, 0]);
    await transport.close();
  });

  it('uses the proxy of HTTP_PROXY for https too, if there is no HTTPS_PROXY', async () => {
    const told = await proxy();
    expect(await askBy(await gateway(), { HTTP_PROXY: told.address })).toMatchObject({
      message: expect.stringContaining('the certificate was refused'),
    });
    expect(told.tunnels).toBe(1);
  });

  it('takes a name in NO_PROXY for its subdomains too, and a port for that port alone', async () => {
    const told = await proxy();
    const baseUrl = await plainGateway();
    const { host, hostname } = new URL(baseUrl);
    const tunnelsTo = async (address: string, NO_PROXY: string) => {
      const before = told.tunnels;
      await askBy(address, { HTTP_PROXY: told.address, NO_PROXY });
      return told.tunnels - before;
    };
    expect([await tunnelsTo(baseUrl, host), await tunnelsTo(baseUrl, `${hostname}:1`)]).toEqual([0, 1]);
    // No server has this name: the proxy is asked, or the name is not found.
    expect(await tunnelsTo('https://api.gateway.invalid', 'gateway.invalid')).toBe(0);
    expect(await tunnelsTo('https://api.gateway.invalid', 'other.invalid')).toBe(1);
    expect(await tunnelsTo('https://apigateway.invalid', 'gateway.invalid')).toBe(1);
  });

  it.each(['127.0.0.1', 'example.com,127.0.0.1', '*'])('bypasses the proxy if NO_PROXY is %s', async (NO_PROXY) => {
    const told = await proxy();
    expect(await askBy(await plainGateway(), { HTTP_PROXY: told.address, NO_PROXY })).toMatchObject({
      outcome: 'recorded',
    });
    expect(told.tunnels).toBe(0);
  });

  it('connects directly if no variable is set, or an empty one', async () => {
    expect(await askBy(await plainGateway(), {})).toMatchObject({ outcome: 'recorded' });
    expect(await askBy(await plainGateway(), { HTTP_PROXY: '', HTTPS_PROXY: '' })).toMatchObject({
      outcome: 'recorded',
    });
  });

  class EnvHttpProxyAgent {
    dispatch() {
      throw new Error('it is not used');
    }
  }
  it.each([
    ['another copy of undici', () => new EnvHttpProxyAgent() as never],
    ['this undici', () => keep(new ProxyAgent('http://127.0.0.1:9'))],
  ])('takes precedence over a dispatcher that %s has set for the whole process', async (_, set) => {
    const told = await proxy();
    setGlobalDispatcher(set());
    expect(await askBy(await plainGateway(), { HTTP_PROXY: told.address })).toMatchObject({ outcome: 'recorded' });
    expect(told.tunnels).toBe(1);
  });

  it.each([403, 407, 502])(
    'a proxy that answers %i refuses the tunnel: not sent, and no password is shown',
    async (status) => {
      const told = await proxy(status);
      const error = await askBy(await plainGateway(), { HTTP_PROXY: withPassword(told.address) });
      expect(error).toMatchObject({
        code: 'network',
        outcome: 'not-sent',
        message: expect.stringMatching(new RegExp(`refused a tunnel to \\S+:\\d+ \\(HTTP ${status}\\)`)),
      });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/canary-(?:user|pass)/);
    },
  );

  it('a proxy that closes the connection is tried once, not endlessly', async () => {
    const told = await proxy('closes');
    const error = await askBy(await plainGateway(), { HTTP_PROXY: withPassword(told.address) });
    expect(error).toMatchObject({
      code: 'network',
      outcome: 'not-sent',
      message: expect.stringContaining('the proxy closed the connection without opening a tunnel'),
    });
    expect(told.tunnels).toBe(1);
  });

  it('a proxy on a closed port is certainly not sent', async () => {
    expect(await askBy(await plainGateway(), { HTTP_PROXY: withPassword('http://127.0.0.1:9') })).toMatchObject({
      code: 'network',
      outcome: 'not-sent',
    });
  });

  it.each([
    ['HTTPS_PROXY', `http://canary-user:canary%pass@proxy.example.com`],
    ['HTTPS_PROXY', 'canary-user:canary-pass@proxy.example.com:8080'],
    ['http_proxy', 'socks5://canary-pass@proxy.example.com'],
    ['HTTP_PROXY', 'http://canary-pass@:8080'],
  ])('refuses %s if it contains no address, and does not show it', (name, value) => {
    process.env[name] = value;
    const error = thrownBy(() => nodeTransport({ proxy: 'environment' }));
    expect(error).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(`such as http://proxy.example.com:8080 in the variable ${name}`),
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary');
  });

  it('accepts neither a dispatcher nor an address beside it', () => {
    const dispatcher = keep(new Agent());
    expect(() => nodeTransport({ proxy: 'environment', dispatcher })).toThrow('pass proxy or dispatcher, not both');
    expect(() => nodeTransport({ proxy: 'http://user:canary@proxy.example.com' as never })).toThrow(
      "proxy: expected 'environment'; for your own address pass a dispatcher, such as new ProxyAgent(address)",
    );
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it throws: expected an error');
}

describe('nodeTransport({ dispatcher })', () => {
  it('uses the given dispatcher before one set for the process, and leaves it open', async () => {
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
    expect(() => nodeTransport({ dispatcher: dispatcher as never })).toThrow(
      'dispatcher: expected a dispatcher of undici',
    );
  });

  it('is required if another copy of undici has set one for the process', () => {
    class EnvHttpProxyAgent {
      dispatch() {}
    }
    setGlobalDispatcher(new EnvHttpProxyAgent() as never);
    expect(() => nodeTransport()).toThrow('(EnvHttpProxyAgent)');
    const dispatcher = keep(new Agent());
    expect(() => nodeTransport({ dispatcher })).not.toThrow();
  });
});
