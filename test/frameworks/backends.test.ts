import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { startPostgres } from '../support/postgres-server.js';
import { type Example, installExample, type Started } from './example.js';
import { startGateway } from './gateway.js';

/** The examples of backends: type-checked by their own build, over a real PostgreSQL and the mock gateway. */

const patience = { timeout: 60_000 };

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

/** The receiver of OpenTelemetry's spans. */
async function startCollector() {
  const spans: Span[] = [];
  const collector = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { resourceSpans } = JSON.parse(Buffer.concat(pieces).toString()) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  return {
    spans,
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    close: () => collector.close(),
  };
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

/** One for each example: an outbox stores the gateway of its reports. */
async function newDatabase(name: string): Promise<string> {
  await query(server.url, `CREATE DATABASE "${name}"`);
  return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
}

let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server?.stop());

describe.each(['express-typescript', 'nestjs'])('examples/%s', (name) => {
  let example: Example;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let started: Started;
  let site: string;
  let url: string;

  const postText = (path: string, body: string) =>
    fetch(site + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  async function place(bet: object) {
    const response = await postText('/bets', JSON.stringify(bet));
    const answer = (await response.json()) as Partial<Record<'bet_id' | 'message' | 'error', string>>;
    return { status: response.status, ...answer };
  }
  const health = async () => (await fetch(`${site}/health`)).json();

  beforeAll(async () => {
    example = await installExample(name);
    await example.run('npm', 'run', 'build');
    gateway = await startGateway(example);
    collector = await startCollector();
    const port = String(await freePort());
    site = `http://127.0.0.1:${port}`;
    url = await newDatabase(name);
    const variables = {
      PORT: port,
      DATABASE_URL: url,
      LOCATION_SDK_MOCK: gateway.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    };
    started = await example.start(/listening on/, variables, 'node', 'dist/main.js');
  });

  afterAll(async () => {
    collector?.close();
    await gateway?.close();
    await example?.remove();
  });

  test('a bet goes through, and the health route answers', async () => {
    const location = { latitude: 6.4474, longitude: 7.5139, accuracy: 20, source: 'gps' };
    const { status, bet_id, message } = await place({ key: 'first', stake: 1500, location });
    expect([status, message]).toEqual([200, 'Your bet of 1500 is placed.']);
    await expect
      .poll(() => gateway.gateway.reports(), patience)
      .toMatchObject([{ operation: 'reportBetEvent', reference: bet_id, body: { amount: 1500, location } }]);
    expect(await health()).toMatchObject({ status: 'ok', quarantined: 0, paused: [] });
  });

  test('the same key is one bet and one report, also at the same time', async () => {
    const before = 'Your bet of 700 was placed before.';
    const lock = new pg.Client({ connectionString: url });
    await lock.connect();
    // Reads go on, and the inserts wait for each other.
    await lock.query('BEGIN; LOCK TABLE bets IN SHARE ROW EXCLUSIVE MODE');
    const presses = Array.from({ length: 5 }, () => place({ key: 'second', stake: 700 }));
    const waiting = "SELECT count(*)::int AS waiting FROM pg_locks WHERE relation = 'bets'::regclass AND NOT granted";
    await expect.poll(() => query(url, waiting), patience).toEqual([{ waiting: 5 }]);
    await lock.end();
    const answers = await Promise.all(presses);
    expect(answers.map(({ message }) => message).sort()).toEqual([
      'Your bet of 700 is placed.',
      ...Array(4).fill(before),
    ]);
    // The bet is known by its key: this request is neither checked nor located.
    answers.push(await place({ key: 'second', stake: '900' }));
    expect(answers.at(-1)).toMatchObject({ status: 200, message: before });
    const [bet_id, ...others] = new Set(answers.map((one) => one.bet_id));
    expect(others).toEqual([]);
    expect(await query(url, "SELECT id, player, stake FROM bets WHERE key = 'second'")).toEqual([
      { id: bet_id, player: 'U-88412', stake: '700' },
    ]);
    expect(await query(url, 'SELECT count(*) AS reports FROM location_sdk.reports')).toEqual([{ reports: '2' }]);
    await expect.poll(() => gateway.gateway.reports(), patience).toMatchObject([{}, { reference: bet_id }]);
  });

  test('an invalid bet is refused, and reports nothing', async () => {
    const message = expect.stringMatching(/^Something is wrong with this entry/);
    for (const bet of [{ stake: 5 }, { key: 'third', stake: -5 }, { key: 'third', stake: '5' }, []])
      expect(await place(bet)).toEqual(expect.objectContaining({ status: 400, error: 'validation', message }));
    expect((await postText('/bets', '{"stake":"canary-4711" canary-4712}')).status).toBe(400);
    expect(started.output()).not.toContain('canary');
    expect(gateway.gateway.reports()).toHaveLength(2);
  });

  test('SIGTERM lets a running attempt end, and ends the process; its spans name the bet', async () => {
    // The gateway has recorded it, and its answer has not arrived yet.
    gateway.gateway.faults.add({ kind: 'latency', when: 'after', delay: 1_500 });
    const { bet_id } = await place({ key: 'fourth', stake: 200 });
    await expect.poll(() => gateway.gateway.reports(), patience).toMatchObject([{}, {}, { reference: bet_id }]);
    await started.stop();
    expect(started.output()).toMatch(/stopped\s*$/);
    expect(await query(url, "SELECT count(*) AS recorded FROM location_sdk.reports WHERE state = 'recorded'")).toEqual([
      { recorded: '3' },
    ]);
    const named = (wanted: string) => collector.spans.filter((one) => one.name === wanted);
    const prepared = named('prepare report').at(-1);
    expect(named('place bet').map(({ spanId }) => spanId)).toContain(prepared?.parentSpanId);
    const reference = { key: 'location_sdk.reference', value: { stringValue: bet_id } };
    expect(prepared?.attributes).toContainEqual(reference);
    expect(named('send reportBetEvent').at(-1)?.attributes).toContainEqual(reference);
  });
});
