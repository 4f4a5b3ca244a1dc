import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { ask, transports } from './transports.js';

const first = getGlobalDispatcher();
afterEach(() => setGlobalDispatcher(first));

const failing = (code: string, syscall?: string, message = 'canary') =>
  Object.assign(new Error(message), { code, ...(syscall && { syscall }) });
const all = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' });
const handshake = 'Client network socket disconnected before secure TLS connection was established';

/** The errors of undici's connector and `node:http` for a connection that was not made. */
const NOT_SENT: readonly [name: string, error: Error][] = [
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'ENETDOWN'].flatMap(
    (code): [string, Error][] => [
      [code, failing(code)],
      [`connect ${code}`, failing(code, 'connect')],
    ],
  ),
  ...['ETIMEDOUT', 'ECONNRESET', 'ECONNABORTED', 'EACCES', 'EPERM', 'EINVAL', 'EMFILE', 'ENOBUFS', 'ENOENT'].map(
    (code): [string, Error] => [`connect ${code}`, failing(code, 'connect')],
  ),
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_MEMORY'].map((code): [string, Error] => [
    `getaddrinfo ${code}`,
    failing(code, 'getaddrinfo'),
  ]),
  ['ENOTFOUND', failing('ENOTFOUND')],
  ['EAI_AGAIN', failing('EAI_AGAIN')],
  ['queryA ESERVFAIL', failing('ESERVFAIL', 'queryA')],
  ['UND_ERR_CONNECT_TIMEOUT', failing('UND_ERR_CONNECT_TIMEOUT')],
  ['a TLS handshake that ended', failing('ECONNRESET', undefined, handshake)],
  ['a certificate', failing('CERT_HAS_EXPIRED')],
  ['connect ETIMEDOUT for each address', all(failing('ETIMEDOUT', 'connect'), failing('ETIMEDOUT', 'connect'))],
  ['a mix of connecting', all(failing('ETIMEDOUT', 'connect'), failing('ENETUNREACH', 'connect'))],
];

const UNKNOWN: readonly [name: string, error: Error][] = [
  ['ETIMEDOUT', failing('ETIMEDOUT')],
  ['read ETIMEDOUT', failing('ETIMEDOUT', 'read')],
  ['ECONNRESET', failing('ECONNRESET')],
  ['read ECONNRESET', failing('ECONNRESET', 'read')],
  ['write EPIPE', failing('EPIPE', 'write')],
  ['read ECONNREFUSED', failing('ECONNREFUSED', 'read')],
  ['reconnect ETIMEDOUT', failing('ETIMEDOUT', 'reconnect')],
  ['words about a handshake', failing('ECONNRESET', undefined, `${handshake}?`)],
  ['a mix with more than connecting', all(failing('ETIMEDOUT', 'connect'), failing('ECONNRESET', 'read'))],
  ['a mix of connecting and of a certificate', all(failing('ETIMEDOUT', 'connect'), failing('CERT_HAS_EXPIRED'))],
];

describe.each(transports())('by %s', (_, by: ClientOptions) => {
  const outcomeOf = (error: Error) => {
    setGlobalDispatcher(new Agent({ connect: (_options, tell) => void setImmediate(tell, error, null) }));
    return ask('https://gateway.example.com', by);
  };

  it.each(NOT_SENT)('%s is not sent', async (_name, error) => {
    expect(await outcomeOf(error)).toMatchObject({ code: 'network', outcome: 'not-sent' });
  });

  it.each(UNKNOWN)('%s may have been sent', async (_name, error) => {
    expect(await outcomeOf(error)).toMatchObject({ code: 'network', outcome: 'unknown' });
  });

  it('a name with an address that does not answer and one that refuses is not sent', async () => {
    const port = await silentPort();
    // Node.js tries the next address of a name after 250 ms.
    const lookup = (_name: string, _options: unknown, found: (error: null, addresses: object[]) => void) =>
      found(
        null,
        ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
      );
    setGlobalDispatcher(new Agent({ connect: { lookup: lookup as never, autoSelectFamily: true } }));
    expect(await ask(`https://gateway.example.com:${port}`, by)).toMatchObject({
      code: 'network',
      outcome: 'not-sent',
    });
  });
});

/** A port of 127.0.0.1 where a process listens and accepts no connection more. */
async function silentPort(): Promise<number> {
  const program =
    "require('net').createServer().listen(0, '127.0.0.1', 1, function () { console.log(this.address().port) })";
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  });
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const port = Number(line);
  // The system completes a few connections by itself.
  for (let index = 0; index < 8; index += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  return port;
}
