import {
  type BetUser,
  type ClientOptions,
  createClient,
  type IpProvider,
  type WithdrawalUser,
} from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createRelay, type RelayOptions, type RelayPlayer } from '../../../src/entries/relay.js';
import type { RelayConnection } from '../../../src/http/relay/relay-options.js';
import { betUser, withdrawalEvent } from '../../support/factories.js';

export const SITE = 'https://shop.example';
export const BET = `${SITE}/relay/report-bet-event`;
export const WITHDRAWAL = `${SITE}/relay/report-withdrawal-event`;
/** The address from which a test's connection comes. */
export const PLAYER_IP = '102.89.23.47';

export interface TestPlayer extends RelayPlayer {
  readonly session: string;
}

/** The logged-in player, by the session's cookie. */
const users: Readonly<Record<string, { bet: BetUser; withdrawal: WithdrawalUser }>> = {
  ada: { bet: betUser(), withdrawal: withdrawalEvent().user },
  bola: {
    bet: betUser({ user_id: 'U-2', first_name: 'Bola', last_name: 'Adeyemi', nin: '99087654321', tax_id: 'TX-2' }),
    withdrawal: { ...withdrawalEvent().user, user_id: 'U-2', full_name: 'Bola Adeyemi', nin: '99087654321' },
  },
};

/** A page's data of a bet, and of a withdrawal: none about the player. */
export const pageBet = (more: object = {}) => ({ bet_id: 'BET-1', amount: 1500, timestamp: '1795161600', ...more });
export const pageWithdrawal = (more: object = {}) => {
  const { user: _user, userId: _userId, ...event } = withdrawalEvent({ timestamp: '1795161600' });
  return { ...event, ...more };
};
export const gps = (more: object = {}) => ({
  latitude: 6.4474,
  longitude: 7.5139,
  accuracy: 20,
  source: 'gps',
  ...more,
});

export interface Sending {
  url?: string;
  method?: string;
  headers?: Record<string, string | undefined>;
  /** An object is sent as JSON, a text or bytes unchanged. */
  body?: unknown;
}

/** A page's request as its browser sends it, with a test's changes. An undefined header is left out. */
export function pageRequest({ url = BET, method = 'POST', headers = {}, body = pageBet() }: Sending = {}): Request {
  const all = {
    origin: SITE,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    'x-location-sdk': '1',
    cookie: 'session=ada',
    ...headers,
  };
  const set = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  const sent = method === 'GET' || method === 'HEAD' ? null : raw ? body : JSON.stringify(body);
  return new Request(url, { method, headers: set, body: sent, duplex: 'half' } as RequestInit);
}

/** A relay with a mock gateway and the operator's session check. Lookups return a place and record their addresses. */
export function relayWorld(options: Partial<RelayOptions<TestPlayer>> = {}, clientOptions: ClientOptions = {}) {
  const gateway = createMockGateway();
  const lookedUp: (string | undefined)[] = [];
  const provider: IpProvider = {
    name: 'atlas-of-ours',
    lookup: async ({ ip }) => {
      lookedUp.push(ip);
      return { latitude: 6.5, longitude: 3.25 + lookedUp.length / 100, city: 'Lagos' };
    },
  };
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const logger = { debug: line, info: line, warn: line, error: line };
  const { location: _fixed, ...toGateway } = gateway.clientOptions();
  const client = createClient({
    ...toGateway,
    location: { ip: { providers: [provider], cacheMs: 0 } },
    logger,
    retry: { limit: 0 },
    ...clientOptions,
  });
  const relay = createRelay<TestPlayer>({
    client,
    logger,
    authorize: (request, { operation }) => {
      const session = /(?:^|; )session=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? '';
      const user = Object.hasOwn(users, session) ? users[session] : undefined;
      return user && { session, user: operation === 'reportBetEvent' ? user.bet : user.withdrawal };
    },
    // The events of the tests have a fixed time.
    timestampWindowMs: Number.MAX_SAFE_INTEGER,
    ...options,
  });
  const connection: RelayConnection = { remoteAddress: PLAYER_IP };
  /** The answer to a page's request, its JSON parsed. */
  async function send(sending: Sending | Request = {}, from: RelayConnection = connection) {
    const response = (await relay(sending instanceof Request ? sending : pageRequest(sending), from)) as Response;
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }
  return { gateway, client, relay, send, lines, lookedUp };
}
