import { createSecureServer } from 'node:http2';
import { Agent, type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { nodeTransport } from '../../../src/http/node/transport/node-transport.js';
import { authority, certificateKey, ofUnknownAuthority } from '../../support/certificates.js';
import { listening } from '../../support/listen.js';
import { ask, transports } from './transports.js';

const first = getGlobalDispatcher();
const opened: Dispatcher[] = [];

afterEach(async () => {
  setGlobalDispatcher(first);
  await Promise.all(opened.splice(0).map((dispatcher) => dispatcher.destroy()));
});

function agent(options: Agent.Options = {}): Agent {
  const made = new Agent({ ...options, connect: { ca: authority } });
  opened.push(made);
  return made;
}

/** A gateway that refuses HTTP/1.1 in the TLS handshake, and the number of its connections. */
async function http2Gateway() {
  const told = { address: '', requests: 0, isEmpty: false };
  const server = createSecureServer({ key: certificateKey, cert: ofUnknownAuthority }, (_, response) => {
    told.requests += 1;
    if (told.isEmpty) return void response.end();
    response.setHeader('content-length', '18');
    response.end('{"message":"kept"}');
  });
  told.address = `https://localhost:${await listening(server)}`;
  return told;
}

describe.each(transports())('a gateway that speaks HTTP/2 only, by %s', (_, by: ClientOptions) => {
  it('receives nothing, and the error says what to pass', async () => {
    setGlobalDispatcher(agent());
    const told = await http2Gateway();
    const error = await ask(told.address, by);
    expect(error).toMatchObject({ code: 'network', outcome: 'not-sent' });
    expect((error as Error).message).toContain(
      `${new URL(told.address).host} speaks HTTP/2 only (ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL): pass nodeTransport({ dispatcher: new Agent({ allowH2: true }) })`,
    );
    expect(told.requests).toBe(0);
  });

  it('is reached if an Agent that allows HTTP/2 is set for the process', async () => {
    setGlobalDispatcher(agent({ allowH2: true }));
    const told = await http2Gateway();
    expect(await ask(told.address, by)).toMatchObject({ outcome: 'recorded', message: 'kept' });
    expect(told.requests).toBe(1);
    // Without a content-length nothing proves that an empty answer is complete.
    told.isEmpty = true;
    const error = await ask(told.address, by);
    expect(error).toMatchObject({ code: 'network', status: 200, outcome: 'unknown' });
    expect((error as Error).message).toContain('over HTTP/2 (Node.js 26) pass nodeTransport() as transport');
  });
});

it('the dispatcher that the error names reaches it', async () => {
  const told = await http2Gateway();
  const transport = nodeTransport({ dispatcher: agent({ allowH2: true }) });
  expect(await ask(told.address, { transport })).toMatchObject({ outcome: 'recorded', message: 'kept' });
  expect(told.requests).toBe(1);
  await transport.close();
});
