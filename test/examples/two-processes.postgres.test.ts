// @module-tag slow: needs PostgreSQL, and starts processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { asRecord } from '../../src/core/platform/as-record.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { type MockServer, serve } from '../../src/entries/node.js';
import { expectFreshBuild } from '../support/built.js';
import { root } from '../support/run.js';

const gateway = createMockGateway();
const database = `two_processes_${process.pid}`;
const started: ChildProcess[] = [];
let server: MockServer;
let env: Record<string, string>;
let api: string;
let metrics: string;

/** Starts a process of the example, and resolves with the address that it prints. */
async function start(name: 'api' | 'worker'): Promise<{ address: string; child: ChildProcess; said: () => string }> {
  const child = spawn(process.execPath, [join(root, 'examples/two-processes', `${name}.js`)], {
    env: { ...process.env, ...env },
  });
  started.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  await vi.waitFor(() => expect(said).toMatch(/http:\S+/), { timeout: 20_000 });
  return { address: /http:\S+/.exec(said)?.[0] ?? '', child, said: () => said };
}

async function post(path: string, body: unknown) {
  const response = await fetch(api + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const held = (reference: string) =>
  gateway
    .reports()
    .filter((report) => report.reference === reference)
    .map(({ operation }) => operation);

beforeAll(async () => {
  expectFreshBuild();
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.end();
  server = await serve(gateway);
  const address = new URL(inject('postgresUrl'));
  address.pathname = database;
  env = {
    DATABASE_URL: address.href,
    LOCATION_SDK_MOCK: server.url,
    PORT: '0',
    METRICS_PORT: String(20_000 + (process.pid % 9_000)),
  };
  const [first, worker] = await Promise.all([start('api'), start('worker')]);
  api = first.address;
  metrics = worker.address;
});

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await server.close();
});

it('reports the four steps, also when the worker is killed between them', async () => {
  const { body: bet } = await post('/bets', { stake: 1_500 });
  expect(bet).toEqual({ result: expect.stringMatching(/^BET-/) });
  await expect
    .poll(async () => (await fetch(`${api}/health`)).json())
    .toMatchObject({ result: { recorded: 1, 'in-flight': 0 } });
  expect(held(bet.result)).toEqual(['reportBetEvent']);

  for (const child of started.filter(({ spawnargs }) => spawnargs[1]?.endsWith('worker.js'))) child.kill('SIGKILL');
  expect(await post(`/bets/${bet.result}/settlement`, { payout: 4_000 })).toMatchObject({ status: 200 });
  expect(await post(`/bets/${bet.result}/settlement`, { payout: 9_999 })).toMatchObject({ status: 404 });
  const { body: withdrawal } = await post('/withdrawals', { amount: 2_000 });
  expect(await post(`/withdrawals/${withdrawal.result}/settlement`, { status: 'SUCCESS' })).toMatchObject({
    status: 200,
  });
  expect(held(bet.result)).toEqual(['reportBetEvent']);

  const worker = await start('worker');
  await expect.poll(() => held(bet.result)).toEqual(['reportBetEvent', 'reportSettledBet']);
  await expect.poll(() => held(withdrawal.result)).toEqual(['reportWithdrawalEvent', 'reportSettledWithdrawal']);
  const [requested, settled] = gateway
    .reports()
    .filter(({ reference }) => reference === withdrawal.result)
    .map(({ body }) => asRecord(body).location);
  expect(asRecord(requested).source).toEqual(expect.any(String));
  expect(settled).toEqual(requested);
  await expect
    .poll(async () => (await fetch(worker.address)).text())
    .toMatch(/location_sdk_outbox_report_count\{[^}]*location_sdk_report_state="recorded"[^}]*\} 4/);
  worker.child.kill('SIGTERM');
  await expect.poll(worker.said).toContain('The worker has stopped.');
  metrics = worker.address;
});

it('refuses a wrong stake, and keeps no bet without its report', async () => {
  expect(await post('/bets', { stake: 'much' })).toEqual({ status: 400, body: { error: 'validation' } });
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(
    'SELECT (SELECT count(*)::int FROM bets) AS bets, (SELECT count(*)::int FROM location_sdk.reports) AS reports',
  );
  await client.end();
  expect(rows).toEqual([{ bets: 1, reports: 4 }]);
});

it.each([
  ['without a session', {}, 401],
  ['with the session of a colleague', { cookie: 'session=ada-1815' }, 200],
])('answers the console %s', async (_, headers, status) => {
  // As a person opens it: fetch would name itself in a header.
  const request = get(`${api}/ops/outbox/`, { headers });
  const [response]: IncomingMessage[] = await once(request, 'response');
  response?.resume();
  expect(response?.statusCode).toBe(status);
});

it('has a compose file whose processes, ports and alerts exist', () => {
  const read = (name: string) => readFileSync(join(root, 'examples/two-processes', name), 'utf8');
  const { services } = parse(read('compose.yaml'), { merge: true });
  for (const name of ['api', 'worker']) {
    expect(services[name].command).toEqual(['node', `${name}.js`]);
    expect(services[name].environment).toMatchObject({ LOCATION_SDK_MOCK: 'http://gateway:4010', HOST: '0.0.0.0' });
  }
  expect(services.api.environment.DATABASE_URL).toBe('postgres://bets:bets@postgres:5432/bets');
  const { rule_files, scrape_configs } = parse(read('prometheus.yaml'));
  expect(services.prometheus.volumes[1]).toBe(`../grafana/alerts.yaml:${rule_files[0]}:ro`);
  expect(scrape_configs[0].static_configs[0].targets).toEqual([`worker:${new URL('http://x:9464').port}`]);
  expect(metrics).toMatch(/\/metrics$/);
});
