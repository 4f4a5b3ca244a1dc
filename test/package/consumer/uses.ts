/** A user's code: it must compile under every module resolution, with and without the web's types. */
import {
  type AbortSignalLike,
  amount,
  type BetEvent,
  type CallOptions,
  type Client,
  type ClientIpFromOptions,
  type ClientOptions,
  clientIpFrom,
  configure,
  createClient,
  type Environment,
  type Fetch,
  fixedLocation,
  freeipapi,
  geojs,
  type IncomingRequest,
  type IpProvider,
  ipapiCo,
  ipinfo,
  isReportingError,
  type Location,
  type LocationInput,
  type Logger,
  locate,
  type NinVerification,
  type Receipt,
  type ReportingError,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  type SettledBet,
  type SettledWithdrawal,
  verifyNin,
  type WithdrawalEvent,
} from 'location-sdk';
import { type MmdbOptions, type MmdbReader, mmdb } from 'location-sdk/location/mmdb';
import {
  createMockGateway,
  type FaultRule,
  type MockGateway,
  openApiDocument,
  type RecordedReport,
} from 'location-sdk/mock';
import { mockGatewayHandlers } from 'location-sdk/mock/msw';
import {
  type BatchedReport,
  createOutbox,
  isStoreError,
  memoryStore,
  type Outbox,
  StoreError,
  type StoreErrorCode,
} from 'location-sdk/outbox';
import { type Console, type ConsoleOptions, type ConsoleVisitor, createConsole } from 'location-sdk/outbox/console';
import { type IndexedDbStoreOptions, indexedDbStore } from 'location-sdk/outbox/indexeddb';
import {
  type ListeningClient,
  type PostgresDatabase,
  type PostgresStoreOptions,
  postgresMigrations,
  postgresStore,
} from 'location-sdk/outbox/postgres';
import { type SqliteDatabase, type SqliteStoreOptions, sqliteStore } from 'location-sdk/outbox/sqlite';
import { createRelay, type Relay, type RelayClient, type RelayOptions, type RelayPlayer } from 'location-sdk/relay';

const betUser = {
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: '2034567890123',
};
export const bet: BetEvent = {
  bet_id: 'B-1',
  amount: 1500,
  user: betUser,
  timestamp: new Date(),
  metadata: { odds: 2.45, live: false, game: '' },
};
export const settledBet: SettledBet = {
  bet_id: 'B-1',
  user: betUser,
  win_amount: 0,
  payout_amount: 0,
  outcome: 'LOSS',
  ggr: 1500,
  ur: 0,
};
export const withdrawal: WithdrawalEvent = {
  request_id: 'WR-1',
  amount: 3000,
  timestamp: '1795161600',
  user: {
    user_id: 'U-88412',
    full_name: 'Adaeze Okonkwo',
    residence_address: '4 Ogui Road',
    residence_state: 'ENUGU',
    residence_lga: 'Enugu North',
    tax_id: '2034567890123',
    nin: '99012345678',
    residency_status: 'RESIDENT',
  },
  metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' },
  withdrawalId: 'W-1',
  userId: 'U-88412',
};
const place: LocationInput = { latitude: 0, longitude: 0 };

const ours: IpProvider = {
  name: 'ours',
  async lookup({ ip, fetch, signal }) {
    const answer = await fetch(`https://geo.example.com/${ip ?? 'me'}`, { method: 'GET', headers: {}, signal });
    return answer.status === 200 && !signal.aborted ? JSON.parse(await answer.text()) : undefined;
  },
};
const logger: Logger = { warn: (message) => message.toUpperCase() };
const ownFetch: Fetch = async (url, { headers, body }) => ({
  status: url.length + (body?.length ?? 0) > 0 ? 200 : 500,
  headers: { get: (name) => headers[name] ?? null },
  text: async () => '{}',
});
const options: ClientOptions<'strict'> = {
  environment: 'production',
  gateways: {
    staging: { baseUrl: 'https://staging.example.com', apiKey: 'key' },
    production: { apiKey: async () => 'key' },
  },
  location: {
    ip: { providers: [ours, geojs(), ipapiCo(), freeipapi(), ipinfo({ token: 'token' })] },
    sourceNames: { gps: 'device' },
  },
  retry: { limit: 0 },
  isRecorded: ({ status, body }) => status === 200 && body !== undefined,
  isDuplicate: ({ status }) => (status === 409 ? 'same' : false),
  logger,
  fetch: ownFetch,
};

export async function report(signal: AbortSignalLike): Promise<Receipt[]> {
  const client: Client<'strict'> = createClient(options);
  const call: CallOptions = { environment: 'staging', clientIP: '102.89.1.1', signal, timeoutMs: 5_000 };
  const first = await client.reportBetEvent({ ...bet, environment: 'staging', location: place }, call);
  const second = await client.reportSettledBet({ ...settledBet, outcome: 'WIN' });
  const third = await client.reportWithdrawalEvent(withdrawal, { location: await client.locate() });
  const settled: SettledWithdrawal = { ...withdrawal, status: 'SUCCESS', timestamp: new Date() };
  const fourth = await client.reportSettledWithdrawal(
    third.location ? { ...settled, location: third.location } : settled,
  );
  const environment: Environment = fourth.environment;
  const recorded: boolean = first.outcome === 'recorded' && environment === 'staging';
  return recorded ? [first, second, third, fourth] : [];
}

export function addressOf(request: IncomingRequest, remoteAddress: string): (string | undefined)[] {
  const ours: ClientIpFromOptions = { trustedProxies: ['loopback', '10.0.0.0/8'], remoteAddress };
  return [
    clientIpFrom(request),
    clientIpFrom(request, ours),
    clientIpFrom(request, { trustedProxies: 1 }),
    clientIpFrom(request, { trustedProxies: 'fly' }),
  ];
}

/** Client and outbox of a backend: their receipts are complete. */
export class Reporter {
  constructor(
    readonly client: Client<'strict'> = createClient(),
    readonly outbox: Outbox<'strict'> = createOutbox({ client, store: memoryStore() }),
  ) {}

  now = (): Promise<Receipt> => this.client.reportBetEvent({ ...bet, amount: amount('1500.50') });

  async later(): Promise<Receipt[]> {
    const reports: BatchedReport[] = [
      { operation: 'reportBetEvent', payload: bet, options: { clientIP: '102.89.1.1' } },
      { operation: 'reportSettledBet', payload: settledBet },
      { operation: 'reportWithdrawalEvent', payload: withdrawal },
    ];
    const results = await this.outbox.reportAll(reports);
    return Promise.all(
      results.map((result) => (result.status === 'fulfilled' ? result.value.done : Promise.reject(result.reason))),
    );
  }
}

export async function reportWithTheDefaultClient(): Promise<NinVerification> {
  configure({ location: fixedLocation({ ...place, source: 'terminal' }) });
  await reportBetEvent(bet);
  await reportSettledBet(settledBet);
  await reportWithdrawalEvent(withdrawal);
  const whole: Location = await locate();
  await reportSettledWithdrawal({ ...withdrawal, status: 'FAILED', timestamp: '1795161600', location: whole });
  const verified = await verifyNin('99012345678');
  const born: string | undefined = verified.data?.biographicData?.dateOfBirth;
  return born ? verified : verifyNin({ nin: '99012345678', environment: 'production' });
}

export async function reportPartially(): Promise<Receipt> {
  const client = createClient({ validation: 'partial' });
  await client.reportWithdrawalEvent({ request_id: 'WR-1', user: { user_id: 'U-1' } });
  return client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1', nin: '99012345678' }, shop: 'Enugu 4' });
}

export async function recover(error: unknown): Promise<string> {
  if (!isReportingError(error)) throw error;
  if (error.code === 'validation')
    return error.issues.map(({ path, code, message }) => `${path} ${code} ${message}`).join();
  if (error.code === 'location')
    return error.steps.map(({ step, reason, durationMs }) => `${step} ${reason} ${durationMs.toFixed()}`).join();
  if (error.code === 'duplicate') return error.conflict ? 'other data' : 'the same data';
  if (error.code === 'rate-limited') return `again in ${error.retryAfterMs ?? 0} ms`;
  if (error.outcome === 'unknown') return (await resend(error, { timeoutMs: 1_000 })).outcome;
  return describe(error);
}

const describe = (error: ReportingError): string =>
  error.code === 'gateway' ? `HTTP ${error.status ?? 0}` : error.message;

export async function tryAgainstTheMock(): Promise<readonly RecordedReport[]> {
  const gateway: MockGateway = createMockGateway({
    requireInitiated: false,
    identities: { '12345678901': { requestID: 'R-1' } },
  });
  const lost: FaultRule = { kind: 'connection-reset', when: 'after', operation: 'reportBetEvent' };
  gateway.faults.add(lost);
  await createClient(gateway.clientOptions()).reportBetEvent(bet);
  const answer = await gateway.fetch('http://mock.example/somewhere', { method: 'POST' });
  return answer.status === 404 ? gateway.reports('production') : [];
}

export function assertOnTheMock(
  gateway: MockGateway,
  http: Parameters<typeof mockGatewayHandlers<string>>[0],
): boolean {
  const bets = gateway.reports('staging', { operation: 'reportBetEvent', reference: 'B-1' });
  const handlers: string[] = mockGatewayHandlers(http, gateway, { staging: 'https://staging.example.com' });
  return bets.length === 1 && handlers.length === 2 && openApiDocument({ validation: 'partial' }).openapi === '3.1.0';
}

// The relay accepts a client of either validation, and an outbox.
interface Session extends RelayPlayer {
  readonly tier: number;
}
const sessions: RelayOptions<Session> = {
  client: createClient(),
  authorize: async (request, { operation }) =>
    request.headers.get('cookie') && operation === 'reportBetEvent' ? { user: { user_id: 'U-1' }, tier: 1 } : null,
  complete: (event, { player }) => ({ ...event, metadata: { tier: player.tier } }),
  limit: ({ tier }) => tier < 1 && { retryAfterMs: 1_000 },
  onError: (error) => error.outcome,
};
export const relay: Relay = createRelay(sessions);
export const partialRelay: Relay = createRelay({
  client: createClient({ validation: 'partial' }),
  authorize: () => null,
});
export const outbox: RelayClient = {
  reportBetEvent: async () => ({ id: '1', state: 'waiting', done: Promise.resolve() }),
  reportWithdrawalEvent: async () => ({ id: '2', state: 'waiting' }),
};
/** The console takes the outbox of one account or of several, of either validation. */
export function consoles(find: (cookie: string | null) => Promise<ConsoleVisitor | undefined>): Console[] {
  const authorize: ConsoleOptions['authorize'] = (request) => find(request.headers.get('cookie'));
  const [client, store] = [createClient({ validation: 'partial' }), memoryStore()];
  const outboxes = createOutbox({ accounts: { lagos: createClient() }, store });
  return [createOutbox({ client, store }), outboxes, outboxes.for('lagos')].map((outbox) =>
    createConsole({ outbox, authorize, readOnly: true }),
  );
}
/** Looks addresses up without the network, in an open database of any reader. */
export function offline(reader: MmdbReader): Client {
  const options: MmdbOptions = { database: reader };
  const database: IpProvider = mmdb(options);
  return createClient({ location: { ip: { providers: [database, mmdb({ ...options, name: 'ours' })] } } });
}

export async function keepInSqlite(database: SqliteDatabase): Promise<boolean> {
  const options: SqliteStoreOptions = { file: 'outbox.db', busyTimeoutMs: 5_000 };
  const stores = [await sqliteStore(options), await sqliteStore({ database })];
  return stores.every(({ durable }) => durable);
}

export async function keepInPostgres(
  pool: PostgresDatabase,
  connect: () => Promise<ListeningClient>,
): Promise<boolean> {
  const options: PostgresStoreOptions = {
    database: pool,
    schema: 'bets_outbox',
    migrate: postgresMigrations() === '',
    listen: connect,
  };
  const { durable } = await postgresStore(options);
  return durable;
}

export const isUnreachable = (error: unknown): boolean => error instanceof StoreError && error.code === 'connection';

export const isFull = (error: unknown): boolean => error instanceof StoreError && error.code === 'full';
export const pageStore = (options: IndexedDbStoreOptions = { persist: false }) =>
  indexedDbStore(options).catch((error): StoreErrorCode | undefined => (isStoreError(error) ? error.code : undefined));
