import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readCertificate } from '../../src/cli/check/gateway.js';
import type { CheckRun } from '../../src/cli/check/run.js';
import { createIpLookup } from '../../src/core/location/lookup/ip-lookup.js';
import { LookupFailure } from '../../src/core/location/lookup/provider.js';
import { createClient, type Transport } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../src/entries/outbox.js';
import { nodeTransport } from '../../src/entries/transport-node.js';
import { LONGEST_LOCK_MS } from '../../src/outbox/stores/postgres/enqueue.js';
import { importFolder } from '../cli/import/import-files.js';
import { relayWorld } from '../http/relay/world.js';
import { newFile, openStore } from '../outbox/stores/sqlite/files.js';
import { runCli } from '../support/cli-in-process.js';
import { betEvent, LOCATION, settledBet, settledWithdrawal, withdrawalEvent } from '../support/factories.js';
import { failureOf } from '../support/failure-of.js';
import { FakeClock } from '../support/fake-clock.js';
import { root } from '../support/run.js';

/** Sentences of the documents that were once false: each is run. */

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const report = (client: ReturnType<typeof createClient>, environment?: 'production') =>
  client.reportBetEvent(betEvent(), { location: LOCATION, ...(environment && { environment }) });

/** A sentence of a document, and the proof that it is true. */
interface Claim {
  readonly document: string;
  readonly says: string;
  readonly holds: () => Promise<void> | void;
}

const said = ({ document, says }: Claim) => `${document.replace(/^docs\//, '')}: ${says.slice(0, 60)}`;

const PRODUCTION = { production: { baseUrl: 'https://gateway.example', apiKey: 'key' } };

/** A client of a gateway that answers over a socket, once. */
async function answeredBy(status: number, headers: Record<string, string>, body: string) {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body)).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const client = createClient({
      gateways: { staging: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' } },
      retry: { limit: 0 },
    });
    return await report(client).catch((error: unknown) => error);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A store, a mock gateway, and outboxes over both. */
function stored() {
  const store = memoryStore();
  const gateway = createMockGateway();
  const outboxOf = (options: { maxDecimals?: number }) =>
    createOutbox({ client: createClient({ ...gateway.clientOptions(), ...options }), store });
  return { store, gateway, outboxOf };
}

const html = '<html>no</html>';
const refusalOf = (status: number) => {
  const { gateway, send } = relayWorld();
  gateway.faults.add({ kind: 'status', status });
  return send();
};

/** The pauses of an outbox whose gateway answers 407, after its first attempt. */
async function pausedBy407(transport?: Transport) {
  const server = createServer((_request, response) => response.writeHead(407).end('{}')).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gateways = { staging: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' } };
  const client = createClient({ gateways, logger: {}, ...(transport && { transport }) });
  const outbox = createOutbox({ client, store: memoryStore() });
  try {
    await outbox.reportBetEvent(betEvent(), { location: LOCATION });
    outbox.start();
    await expect.poll(async () => (await outbox.list())[0]?.problem?.code, { timeout: 10_000 }).toBe('network');
    return (await outbox.stats()).paused.map(({ reason }) => reason);
  } finally {
    await outbox.stop();
    server.closeAllConnections();
    server.close();
  }
}

const CLAIMS: readonly Claim[] = [
  {
    document: 'README.md',
    says: 'The outbox has the first four.',
    holds: async () => {
      const { gateway, outboxOf } = stored();
      const outbox = outboxOf({});
      const options = { clientIP: '8.8.8.8' };
      await outbox.reportBetEvent(betEvent(), options);
      await outbox.reportSettledBet(settledBet());
      await outbox.reportWithdrawalEvent(withdrawalEvent(), options);
      await outbox.reportSettledWithdrawal(settledWithdrawal(), options);
      await outbox.drain();
      expect(gateway.reports().map(({ operation }) => operation)).toEqual([
        'reportBetEvent',
        'reportWithdrawalEvent',
        'reportSettledBet',
        'reportSettledWithdrawal',
      ]);
      expect(outbox).not.toHaveProperty('verifyNin');
    },
  },
  {
    document: 'docs/reference/options.md',
    says: 'An error that it throws stops no report, and emits `error`, once until it works again.',
    holds: async () => {
      const client = createClient(createMockGateway().clientOptions());
      const full = new Error('the log is full');
      const onReceipt = vi.fn(() => {
        throw full;
      });
      const outbox = createOutbox({ client, store: memoryStore(), onReceipt });
      const errors: unknown[] = [];
      outbox.on('error', (event) => errors.push(event));
      const { done } = await outbox.reportBetEvent(betEvent(), { location: LOCATION });
      await outbox.drain();
      expect(await done).toMatchObject({ outcome: 'recorded' });
      await expect.poll(() => onReceipt.mock.calls.length).toBe(2);
      expect(errors).toEqual([{ message: expect.stringMatching(/^onReceipt failed\./), cause: full }]);
      await outbox.stop();
    },
  },
  {
    document: 'README.md',
    says: 'Reports go to staging, unless `LOCATION_SDK_ENVIRONMENT` (in Node.js) or `createClient({ environment })` says `production`.',
    holds: async () => {
      const environmentOf = async () => {
        const { fetch, gateways } = createMockGateway().clientOptions();
        return (await report(createClient({ fetch, gateways, location: { fixed: LOCATION } }))).environment;
      };
      expect(await environmentOf()).toBe('staging');
      vi.stubEnv('LOCATION_SDK_ENVIRONMENT', 'production');
      expect(await environmentOf()).toBe('production');
    },
  },
  {
    document: 'docs/background/assumptions.md',
    says: 'a call is a `ConfigurationError`, with `LOCATION_SDK_ENVIRONMENT=production` already `createClient()`. An outbox takes no report for production, and keeps those that it has.',
    holds: async () => {
      const store = memoryStore();
      const made = () => createClient({ gateways: PRODUCTION, logger: {} });
      const enqueue = (outbox: ReturnType<typeof createOutbox>) =>
        outbox.reportBetEvent(betEvent(), { location: LOCATION, environment: 'production' });
      await enqueue(createOutbox({ client: made(), store }));
      vi.stubEnv('LOCATION_SDK_MOCK', 'http://127.0.0.1:4010');
      expect(await failureOf(report(made(), 'production'))).toMatchObject({ code: 'configuration' });
      const outbox = createOutbox({ client: made(), store });
      expect(await failureOf(enqueue(outbox))).toMatchObject({ code: 'configuration' });
      await outbox.drain({ timeoutMs: 50 }).catch(() => undefined);
      expect((await outbox.stats()).states.waiting).toBe(1);
      await outbox.stop();
      vi.stubEnv('LOCATION_SDK_ENVIRONMENT', 'production');
      expect(made).toThrow('LOCATION_SDK_MOCK is set');
    },
  },
  {
    document: 'docs/how-to/relay.md',
    says: 'If `authorize` throws, the page gets 401, since some session checks throw without a session. If `limit` or `complete` throws, or one of the three is late (`hookTimeoutMs`), the page gets a 500 with an id',
    holds: async () => {
      const fails = () => Promise.reject(new Error('the database is down'));
      const never = () => new Promise<never>(() => {});
      const statusOf = async (options: Parameters<typeof relayWorld>[0]) =>
        (await relayWorld({ hookTimeoutMs: 1, ...options }).send()).status;
      expect(await statusOf({ hookTimeoutMs: 10_000, authorize: fails })).toBe(401);
      expect(await statusOf({ hookTimeoutMs: 10_000, limit: fails })).toBe(500);
      expect(await statusOf({ hookTimeoutMs: 10_000, complete: fails })).toBe(500);
      for (const late of [{ authorize: never }, { limit: never }, { complete: never }])
        expect(await statusOf(late)).toBe(500);
    },
  },
  {
    document: 'docs/how-to/relay.md',
    says: '404, 422 and 429 as they are; 400 for any other, such as 403 or 413',
    holds: async () => {
      const seen = [];
      for (const status of [403, 405, 409, 413, 415, 404, 422, 429]) seen.push((await refusalOf(status)).status);
      // A 409 that does not speak of a repeat.
      expect(seen).toEqual([400, 400, 400, 400, 400, 404, 422, 429]);
    },
  },
  {
    document: 'docs/how-to/relay.md',
    says: 'Your log has the reason of a 401 or 403, which the answer does not say: at `debug`, or as a warning if `authorize` threw, or an app or another origin sent it.',
    holds: async () => {
      const linesOf = async (sending: Parameters<ReturnType<typeof relayWorld>['send']>[0], options = {}) => {
        const lines: string[] = [];
        const line = (level: string) => (text: string) => void lines.push(`${level} ${text}`);
        const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
        const { status } = await relayWorld({ logger, ...options }).send(sending);
        expect([401, 403]).toContain(status);
        return lines;
      };
      const noPage = { origin: undefined, 'sec-fetch-site': undefined };
      expect(await linesOf({ headers: { cookie: '' } })).toEqual([expect.stringMatching(/^debug refused/)]);
      expect(await linesOf({}, { complete: () => null })).toEqual([expect.stringMatching(/^debug refused/)]);
      expect(await linesOf({ headers: { 'x-location-sdk': '' } })).toEqual([expect.stringMatching(/^debug refused/)]);
      expect(await linesOf({ headers: noPage })).toEqual([expect.stringMatching(/^warn .*allowNative/)]);
      const foreign = await linesOf({ headers: { origin: 'https://other.example' } });
      expect(foreign).toContainEqual(expect.stringMatching(/^warn .*allowedOrigins/));
    },
  },
  {
    document: 'docs/how-to/browser.md',
    says: "A 4xx of a proxy, such as an HTML page, is `'rejected'` if it has a `content-length` and is not compressed, else `'unknown'`.",
    holds: async () => {
      const type = { 'content-type': 'text/html' };
      const length = { 'content-length': String(html.length) };
      expect(await answeredBy(403, { ...type, ...length }, html)).toMatchObject({ outcome: 'rejected' });
      expect(await answeredBy(403, { ...type, 'transfer-encoding': 'chunked' }, html)).toMatchObject({
        outcome: 'unknown',
      });
      const identity = { ...type, ...length, 'content-encoding': 'identity' };
      expect(await answeredBy(403, identity, html)).toMatchObject({ outcome: 'unknown' });
    },
  },
  {
    document: 'docs/how-to/location.md',
    says: 'After 429 or 403 it leaves a service out for `restMs` (60 s), or for its `Retry-After` up to ten times that; after no answer for 5 s at most.',
    holds: async () => {
      const restOf = async (failure: Error) => {
        const clock = new FakeClock(0);
        let asked = 0;
        const fails = async () => {
          asked += 1;
          throw failure;
        };
        const works = { name: 'works', lookup: async () => ({ latitude: 1, longitude: 1 }) };
        const settings = { timeoutMs: 4_000, restMs: 60_000, cacheMs: 0, cacheSize: 1 };
        const world = { fetch: globalThis.fetch, clock };
        const lookup = createIpLookup([{ name: 'fails', lookup: fails }, works], settings, world, 'ip');
        const ask = () => clock.run(lookup({ ip: undefined, deadline: clock.now() + 10_000, signal: undefined }));
        await ask();
        let seconds = 0;
        for (; asked === 1 && seconds < 1_000; seconds += 1) {
          clock.advance(1_000);
          await ask();
        }
        return seconds;
      };
      expect(await restOf(new LookupFailure('refused', 'HTTP 429'))).toBe(60);
      expect(await restOf(new LookupFailure('refused', 'HTTP 429', '300'))).toBe(300);
      expect(await restOf(new LookupFailure('refused', 'HTTP 429', '86400'))).toBe(600);
      expect(await restOf(new LookupFailure('unreachable', 'no answer'))).toBe(5);
    },
  },
  {
    document: 'docs/reference/options.md',
    says: 'A wait for another transaction with the same reference, in PostgreSQL: 5 s.',
    holds: () => expect(LONGEST_LOCK_MS.one).toBe('5000'),
  },
  {
    document: 'docs/how-to/going-live.md',
    says: 'unless `--options` has a `transport` or `fetch`.',
    holds: async () => {
      const gateway = { baseUrl: 'https://gateway.example', apiKey: 'key' };
      expect(await readCertificate({ gateway, ownFetch: true } as CheckRun)).toBeUndefined();
    },
  },
  {
    document: 'docs/how-to/going-live.md',
    says: 'which has all of them except `OutboxSilent`.',
    holds: () => {
      const alerts = [...read('examples/grafana/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
      const watch = read('examples/watch.ts');
      expect(alerts.length).toBeGreaterThan(10);
      expect(alerts.filter((name) => !watch.includes(name))).toEqual(['OutboxSilent']);
    },
  },
  {
    document: 'docs/reference/errors.md',
    says: 'Wait for `retryAfterMs`, or a minute if it is undefined: the gateway named no time.',
    holds: async () => {
      const errorWith = async (retryAfter?: number) => {
        const gateway = createMockGateway();
        gateway.faults.add({ kind: 'status', status: 429, ...(retryAfter && { retryAfter }), times: null });
        return failureOf(report(createClient({ ...gateway.clientOptions(), retry: { limit: 0 } })));
      };
      expect(await errorWith(60)).toMatchObject({ code: 'rate-limited', retryAfterMs: 60_000 });
      const { retryAfterMs } = (await errorWith()) as { retryAfterMs?: number };
      expect(retryAfterMs).toBeUndefined();
    },
  },
  {
    document: 'docs/how-to/business-cases.md',
    says: 'A second settlement is a `DuplicateReportError`: with other data `conflict: true`, with the same data `conflict: false` (an outbox resolves).',
    holds: async () => {
      const client = createClient(createMockGateway({ requireInitiated: false }).clientOptions());
      await client.reportSettledBet(settledBet());
      const other = client.reportSettledBet(settledBet({ outcome: 'LOSS' }));
      expect(await failureOf(other)).toMatchObject({ code: 'duplicate', conflict: true });
      expect(await failureOf(client.reportSettledBet(settledBet()))).toMatchObject({ conflict: false });
    },
  },
  {
    document: 'docs/how-to/business-cases.md',
    says: 'It refuses 1500.5 kobo, but not 1500 in the wrong unit, and checks new reports only.',
    holds: async () => {
      const { store, gateway, outboxOf } = stored();
      await outboxOf({}).reportBetEvent(betEvent({ amount: 1500.5 }), { location: LOCATION });
      const kobo = outboxOf({ maxDecimals: 0 });
      const refused = kobo.reportBetEvent(betEvent({ bet_id: 'B-2', amount: 1500.5 }), { location: LOCATION });
      expect(await failureOf(refused)).toMatchObject({ code: 'validation' });
      await kobo.reportBetEvent(betEvent({ bet_id: 'B-3', amount: 1500 }), { location: LOCATION });
      expect(await kobo.drain({ timeoutMs: 20_000 })).toMatchObject({ drained: true });
      expect(gateway.reports().map(({ body }) => body.amount)).toEqual([1500.5, 1500]);
      await store.close?.();
    },
  },
  {
    document: 'docs/how-to/business-cases.md',
    says: 'If reports still wait, stop all workers, and [`replace`](on-call.md#correct-many-from-a-file) them, settlements first; quarantined ones, too. It refuses reports that the gateway may hold',
    holds: async () => {
      const { gateway, outboxOf } = stored();
      const outbox = outboxOf({});
      const bet = betEvent({ amount: 1500, timestamp: '1795161600' });
      await outbox.reportBetEvent(bet, { location: LOCATION });
      const replaceBy = (amount: number) =>
        outbox.replaceAll([{ operation: 'reportBetEvent', payload: { ...bet, amount } }], { reason: 'kobo' });
      expect(await replaceBy(150_000)).toMatchObject({ replaced: 1, refused: [] });
      await outbox.drain({ timeoutMs: 20_000 });
      expect(gateway.reports().map(({ body }) => body.amount)).toEqual([150_000]);
      expect(await replaceBy(1500)).toMatchObject({ replaced: 0, refused: [{ index: 0 }] });
    },
  },
  {
    document: 'docs/how-to/deploy.md',
    says: 'With `timeoutMs`, `drain` resolves also in a pause',
    holds: async () => {
      const { gateway, outboxOf } = stored();
      const outbox = outboxOf({});
      gateway.faults.add({ kind: 'status', status: 401, times: 1_000 });
      await outbox.reportBetEvent(betEvent(), { location: LOCATION });
      const ended = await outbox.drain({ timeoutMs: 1_000 });
      expect(ended).toMatchObject({ drained: false, states: { waiting: 1 }, paused: [{ reason: 'authentication' }] });
    },
  },
  {
    document: 'docs/how-to/telemetry.md',
    says: 'How often the store failed in the background; a method that rejects is not counted',
    holds: async () => {
      const store = memoryStore();
      const full = Object.assign(new Error('The disk is full.'), { name: 'StoreError', code: 'full' });
      store.enqueue = () => Promise.reject(full);
      const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
      const errors: unknown[] = [];
      outbox.on('error', (event) => errors.push(event));
      await expect(outbox.reportBetEvent(betEvent())).rejects.toThrow('The disk is full.');
      expect(errors).toEqual([]);
      store.turn = () => Promise.reject(full);
      outbox.start();
      await expect.poll(() => errors.length, { timeout: 10_000 }).toBeGreaterThan(0);
      await outbox.stop().catch(() => undefined);
    },
  },
  {
    document: 'docs/how-to/on-call.md',
    says: '**A 2xx with an empty body and `content-length: 0`**: recorded',
    holds: async () => {
      expect(await answeredBy(200, { 'content-length': '0' }, '')).toMatchObject({ outcome: 'recorded' });
    },
  },
  {
    document: 'docs/how-to/on-call.md',
    says: 'Otherwise, or after a 2xx with an empty body without that header: delayed, `timeout` or `network`, in doubt.',
    holds: async () => {
      const inDoubt = { code: 'network', outcome: 'unknown' };
      expect(await answeredBy(200, { 'transfer-encoding': 'chunked' }, '')).toMatchObject(inDoubt);
      const gateway = createMockGateway();
      gateway.faults.add({ kind: 'connection-reset', times: null });
      const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
      expect(await failureOf(report(client))).toMatchObject(inDoubt);
    },
  },
  {
    document: 'docs/background/assumptions.md',
    says: 'It is about the report, event, transaction, request, data, reference, or its bet or withdrawal ("already reported" may stand alone)',
    holds: async () => {
      const codeOf = async (message: string) => {
        const body = JSON.stringify({ message });
        return ((await answeredBy(409, { 'content-type': 'application/json' }, body)) as { code?: string }).code;
      };
      for (const words of ['already reported', 'Duplicate request', 'The bet already exists'])
        expect(await codeOf(words), words).toBe('duplicate');
      for (const words of ['duplicate', 'already exists', 'User already exists'])
        expect(await codeOf(words), words).toBe('bad-request');
    },
  },
  {
    document: 'docs/how-to/on-call.md',
    says: 'With a bet in doubt, take out its settlement, too.',
    holds: async () => {
      const file = newFile();
      const gateway = createMockGateway();
      gateway.faults.add({ kind: 'connection-reset', when: 'after', times: null });
      const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'mock-api-key' } };
      const { fetch } = gateway.clientOptions();
      const store = await openStore(file);
      const outbox = createOutbox({ client: createClient({ gateways, fetch, logger: {} }), store });
      const bet = betEvent({ bet_id: 'B-1', timestamp: '1795161600' });
      await outbox.reportBetEvent(bet, { location: LOCATION });
      await outbox.reportSettledBet(settledBet({ bet_id: 'B-1' }));
      outbox.start();
      await expect.poll(async () => (await outbox.list())[0]?.attempts, { timeout: 10_000 }).toBeGreaterThan(0);
      await outbox.stop();
      await store.close?.();
      vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', gateways.staging.baseUrl);
      const { write } = importFolder();
      const lines = [
        { operation: 'reportBetEvent', ...bet, amount: 7 },
        { operation: 'reportSettledBet', ...settledBet({ bet_id: 'B-1' }), ggr: 7 },
      ];
      const corrected = write('corrected.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const words = ['replace', '--from', corrected, '--environment', 'staging', '--reason', 'ticket-812', '--json'];
      const { out } = await runCli(['outbox', file, ...words]);
      expect(JSON.parse(out).operations).toMatchObject([
        { operation: 'reportBetEvent', inDoubt: 1, replaced: 0 },
        { operation: 'reportSettledBet', replaced: 1 },
      ]);
    },
  },
  {
    document: 'docs/how-to/on-call.md',
    says: '**409 that says "already reported"**: recorded, if an attempt before it was in doubt, such as after a lost answer. Otherwise quarantined, `duplicate`. With "different data" always quarantined, `conflict`.',
    holds: async () => {
      /** The end of a bet, if the gateway holds one under its reference. */
      const endOf = async ({ holds, lost = false }: { holds: object; lost?: boolean }) => {
        const gateway = createMockGateway();
        const client = createClient(gateway.clientOptions());
        const bet = betEvent({ timestamp: '1795161600' });
        await client.reportBetEvent({ ...bet, ...holds }, { location: LOCATION });
        if (lost) gateway.faults.add({ kind: 'connection-reset' });
        const outbox = createOutbox({ client, store: memoryStore(), retry: { baseMs: 1 } });
        const { id } = await outbox.reportBetEvent(bet, { location: LOCATION });
        await outbox.drain();
        const { state, problem } = (await outbox.get(id)) ?? {};
        return [state, problem?.code];
      };
      expect(await endOf({ holds: {}, lost: true })).toEqual(['recorded', undefined]);
      expect(await endOf({ holds: {} })).toEqual(['quarantined', 'duplicate']);
      expect(await endOf({ holds: { amount: 1 } })).toEqual(['quarantined', 'conflict']);
      expect(await endOf({ holds: { amount: 1 }, lost: true })).toEqual(['quarantined', 'conflict']);
    },
  },
  {
    document: 'docs/how-to/on-call.md',
    says: 'those that are quarantined, that wait after a refusal, that were never sent, or that are in doubt, which `replace` refuses. `--code unprocessable` lists the refused ones alone.',
    holds: async () => {
      const file = newFile();
      const gateway = createMockGateway();
      gateway.faults.add({ kind: 'status', status: 422, times: null });
      const outbox = createOutbox({
        client: createClient(gateway.clientOptions()),
        store: await openStore(file),
        concurrency: 1,
        breakerAfter: 1,
      });
      for (const id of ['B-1', 'B-2', 'B-3']) await outbox.reportBetEvent(betEvent({ bet_id: id }));
      const refused = new Promise<void>((stopped) => outbox.on('probe-failed', () => outbox.stop().then(stopped)));
      outbox.start();
      await refused;
      const list = async (...narrowing: string[]) =>
        (await runCli(['outbox', file, 'list', '--json', '--operation', 'reportBetEvent', ...narrowing])).out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { reference: string; state: string })
          .map(({ reference, state }) => `${reference} ${state}`);
      expect(await list()).toEqual(['B-1 quarantined', 'B-2 waiting', 'B-3 waiting']);
      expect(await list('--code', 'unprocessable')).toEqual(['B-1 quarantined', 'B-2 waiting']);
    },
  },
  {
    document: 'docs/background/assumptions.md',
    says: 'A `timestamp` has at most 10 digits (seconds), or is a `Date`.',
    holds: async () => {
      const client = createClient(createMockGateway().clientOptions());
      const at = (timestamp: string) => client.reportBetEvent(betEvent({ bet_id: `BET-${timestamp}`, timestamp }));
      expect((await at('123456789')).outcome).toBe('recorded');
      expect((await at('1795161600')).outcome).toBe('recorded');
      expect(await failureOf(at('17951616000'))).toMatchObject({ code: 'validation' });
    },
  },
  {
    document: 'docs/how-to/on-call.md',
    says: '**404 without JSON, 405, 421, a redirect; over `nodeTransport` 407**: paused, `address`.',
    holds: async () => {
      const transport = nodeTransport();
      expect(await pausedBy407(transport)).toEqual(['address']);
      await transport.close();
      expect(await pausedBy407()).toEqual([]);
    },
  },
  {
    document: 'docs/how-to/location.md',
    says: 'If all are left out, it asks one.',
    holds: async () => {
      let asked = 0;
      const busy = async () => {
        asked += 1;
        return new Response('{}', { status: 429, headers: { 'retry-after': '500' } });
      };
      const client = createClient({ gateways: PRODUCTION, fetch: busy, logger: {} });
      for (const clientIP of ['8.8.8.8', '8.8.4.4']) await failureOf(client.locate({ clientIP }));
      expect(asked).toBe(3 + 1);
    },
  },
  {
    document: 'docs/how-to/import.md',
    says: '`the outbox holds other data under this reference`: compare your records. This check comes late: the other lines are enqueued.',
    holds: async () => {
      const { run, write, rows } = importFolder();
      const linesOf = (...bets: object[]) => bets.map((bet) => `${JSON.stringify(bet)}\n`).join('');
      const bet = (bet_id: string, amount: number) => ({
        ...betEvent({ bet_id, amount, timestamp: '1795161600' }),
        location: LOCATION,
      });
      expect(await run(write('a.ndjson', linesOf(bet('B-1', 1))), 'reportBetEvent')).toMatchObject({ code: 0 });
      const file = write('b.ndjson', linesOf(bet('B-0', 1), bet('B-1', 2), bet('B-2', 1)));
      expect(await run(file, 'reportBetEvent')).toMatchObject({ code: 1 });
      expect(rows().map(({ reference }) => reference)).toEqual(['B-1', 'B-0', 'B-2']);
    },
  },
  {
    document: 'docs/reference/cli.md',
    says: 'Exit code 0: done. 1: it could not be done, or not for every line',
    holds: async () => {
      const { run, write, rows } = importFolder();
      const event = JSON.stringify(settledBet());
      const file = write('a.ndjson', `${event}\n${event.replace('"WIN"', '" "')}\n`);
      expect(await run(file, 'reportSettledBet', '--skip-rejected')).toMatchObject({ code: 1 });
      expect(rows()).toHaveLength(1);
    },
  },
  {
    document: 'docs/how-to/relay.md',
    says: "an `environment` other than the option's",
    holds: async () => {
      const body = { bet_id: 'BET-1', amount: 1500, timestamp: '1795161600', environment: 'staging' };
      const statusOf = async (options: Parameters<typeof relayWorld>[0]) => {
        const { send } = relayWorld({ timestampWindowMs: Number.MAX_SAFE_INTEGER, ...options });
        return (await send({ body })).status;
      };
      expect(await statusOf({})).toBe(400);
      expect(await statusOf({ environment: 'staging' })).toBe(200);
    },
  },
];

afterEach(() => vi.unstubAllEnvs());

describe('a sentence of the documents that was false', () => {
  test.each(CLAIMS.map((claim) => [said(claim), claim] as const))('%s', async (_, { document, says, holds }) => {
    expect(read(document).replace(/\s+/g, ' ')).toContain(says);
    await holds();
  });
});
