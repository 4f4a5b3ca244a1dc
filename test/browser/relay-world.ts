import { createServer } from 'node:http';
import { type Client, type ClientOptions, createClient, type IpProvider } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createRelay, type RelayClient, type RelayOptions, type RelayPlayer } from '../../src/entries/relay.js';
import { toNodeHandler } from '../../src/http/node/node-handler.js';
import { betUser, withdrawalEvent } from '../support/factories.js';
import { listen } from '../support/listen.js';
import { readScript } from './script-file.js';

/** The logged-in player, by the session's cookie. */
const PLAYERS: Readonly<Record<string, (operation: string) => RelayPlayer>> = {
  ada: (operation) => ({ user: operation === 'reportBetEvent' ? betUser() : withdrawalEvent().user }),
  bola: (operation) => ({
    user: {
      ...(operation === 'reportBetEvent' ? betUser() : withdrawalEvent().user),
      user_id: 'U-2',
      nin: '99087654321',
    },
  }),
};

const SCRIPTS = ['location-sdk.global.js', 'location-sdk.outbox.global.js', 'location-sdk.relay.global.js'] as const;
/** The scripts of a page. Any other page has the first. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/outbox': [SCRIPTS[1]],
  '/outbox-too': [SCRIPTS[0], SCRIPTS[1]],
};

/** A worker that reports as the guide says. */
const WORKER = `
  importScripts('/location-sdk.relay.global.js');
  const client = LocationSDK.createClient({ relayUrl: '/relay' });

  addEventListener('message', async ({ data: { bet, location } }) => {
    try {
      postMessage({ receipt: await client.reportBetEvent(bet, { location }) });
    } catch (error) {
      const { text, action } = LocationSDK.playerMessage(error);
      postMessage({ text, action });
    }
  });`;

/** A service worker that reports as the guide says. */
const SERVICE_WORKER = `
  importScripts('/location-sdk.relay.global.js');
  const client = LocationSDK.createClient({ relayUrl: '/relay' });

  async function report({ bet, location }, port) {
    try {
      const receipt = await client.reportBetEvent(bet, { location });
      port.postMessage({ receipt });
    } catch (error) {
      const { text, action } = LocationSDK.playerMessage(error);
      port.postMessage({ text, action });
    }
  }
  addEventListener('message', (event) => {
    event.waitUntil(report(event.data, event.ports[0]));
  });
`;

const WORKERS: Readonly<Record<string, string>> = { '/worker.js': WORKER, '/service-worker.js': SERVICE_WORKER };

const pageWith = (scripts: readonly string[]) =>
  `<!doctype html><html lang="en"><head><title>Operator</title><link rel="icon" href="data:,">${scripts.map((name) => `<script src="/${name}"></script>`).join('')}</head></html>`;

/** The changes of a test. */
export interface Joined {
  relay?: Partial<RelayOptions<RelayPlayer>>;
  client?: ClientOptions;
  /** A wrapper between the relay and the client of the gateway. */
  behind?: (client: Client) => RelayClient;
  /** More scripts of the site, by path. */
  scripts?: Readonly<Record<string, string>>;
}

/** A page's origin with the real relay behind Node.js's server, and a mock gateway. */
export async function serveRelay({
  relay: relayOptions,
  client: clientOptions,
  behind = (client) => client,
  scripts = {},
}: Joined = {}) {
  const gateway = createMockGateway();
  const lookedUp: (string | undefined)[] = [];
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const logger = { debug: line, info: line, warn: line, error: line };
  const provider: IpProvider = {
    name: 'atlas',
    // A new place each time, so that a repetition shows whether the first place was kept.
    lookup: async ({ ip }) => {
      lookedUp.push(ip);
      return { latitude: 6.5, longitude: 3 + lookedUp.length / 100, city: 'Lagos' };
    },
  };
  const { location: _fixed, ...toGateway } = gateway.clientOptions();
  const location = { ip: { providers: [provider], cacheMs: 0 } };
  const client = createClient({
    ...toGateway,
    location,
    logger,
    retry: { limit: 0 },
    attemptTimeoutMs: 500,
    ...clientOptions,
  });
  const relay = createRelay<RelayPlayer>({
    client: behind(client),
    logger,
    authorize: ({ headers }, { operation }) => {
      const session = /(?:^|; )session=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '';
      return PLAYERS[session]?.(operation);
    },
    trustedProxies: ['loopback'],
    ...relayOptions,
  });

  /** How many answers are lost before they reach the page, and how many never come. */
  const answers = { lost: 0, held: 0 };
  const handle = toNodeHandler(async (request, connection = {}) => {
    const answer = await relay(request, connection);
    if (answers.held > 0) {
      answers.held -= 1;
      await new Promise(() => {});
    }
    if (answers.lost > 0) {
      answers.lost -= 1;
      (connection.native as { socket: { destroy(): void } }).socket.destroy();
    }
    return answer;
  });
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/relay/')) return handle(incoming, outgoing);
    const script = SCRIPTS.find((name) => incoming.url === `/${name}`);
    const worker = { ...WORKERS, ...scripts }[incoming.url ?? ''];
    outgoing.writeHead(200, {
      'content-type': script || worker ? 'text/javascript' : 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:",
    });
    outgoing.end(worker ?? (script ? readScript(script) : pageWith(PAGES[incoming.url ?? ''] ?? [SCRIPTS[0]])));
  });
  // If a kept-alive connection breaks, a browser would repeat the request by itself.
  server.maxRequestsPerSocket = 1;
  const { url, close: closeServer } = await listen(server);
  const close = async () => {
    gateway.reset();
    await closeServer();
  };
  return { url, gateway, lookedUp, lines, answers, close };
}
