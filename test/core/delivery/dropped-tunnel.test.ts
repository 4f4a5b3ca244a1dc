import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type Dispatcher, getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { listening } from '../../support/listen.js';
import { ask, transports } from './transports.js';

const first = getGlobalDispatcher();
let opened: Dispatcher | undefined;

afterEach(async () => {
  setGlobalDispatcher(first);
  await opened?.destroy();
});

/** A proxy that closes the connection at each CONNECT, and the number of its connections. */
async function droppingProxy() {
  const told = { address: '', asked: 0 };
  const server = createServer();
  server.on('connect', (_, socket) => {
    told.asked += 1;
    socket.destroy();
  });
  told.address = `http://127.0.0.1:${await listening(server)}`;
  return told;
}

/** The text of docs/how-to/deploy.md about it. */
const OUTCOMES = [
  ['the built-in fetch', 'unknown'],
  ['nodeTransport()', 'not-sent'],
] as const;

describe.each(transports())('a proxy that drops CONNECT, by %s', (name, by: ClientOptions) => {
  it('is connected again and again by undici until the time of the attempt is over, as the guide warns', async () => {
    const told = await droppingProxy();
    opened = new ProxyAgent(told.address);
    setGlobalDispatcher(opened);
    const [, outcome] = OUTCOMES.find(([one]) => one === name) ?? [];
    // Longer than a busy machine needs for a few connections.
    expect(await ask('https://gateway.example.com', { ...by, attemptTimeoutMs: 1_000 })).toMatchObject({
      code: 'timeout',
      outcome,
    });
    expect(told.asked).toBeGreaterThan(1);
    const guide = readFileSync('docs/how-to/deploy.md', 'utf8');
    expect(guide).toContain('**Warning: a proxy that closes the connection without an answer to `CONNECT`.**');
    expect(guide).toMatch(
      /ends with a `TimeoutError`: `'unknown'` over the built-in `fetch`[^.]*, and `'not-sent'` over `nodeTransport`/,
    );
  });
});
