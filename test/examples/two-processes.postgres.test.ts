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
  const location = { latitude: 6.4474, longitude: 7.5139, accuracy: 20, source: 'gps' };
  const { body: bet } = await post('/bets', { key: 'first', stake: 1_500, location });
  expect(bet).toEqual({ bet_id: expect.stringMatching(/^BET-/), message: 'Your bet of 1500 is placed.' });
  await expect.poll(async () => (await fetch(`${api}/health`)).json()).toMatchObject({ recorded: 1, 'in-flight': 0 });
  expect(held(bet.bet_id)).toEqual(['reportBetEvent']);
  expect(gateway.reports()[0]?.body).toMatchObject({ location });

  for (const child of started.filter(({ spawnargs }) => spawnargs[1]?.endsWith('worker.js'))) child.kill('SIGKILL');
  expect(await post(`/bets/${bet.bet_id}/settlement`, { payout: 4_000 })).toMatchObject({ status: 200 });
  expect(await post(`/bets/${bet.bet_id}/settlement`, { payout: 9_999 })).toMatchObject({ status: 404 });
  const { body: withdrawal } = await post('/withdrawals', { key: 'first', amount: 2_000 });
  expect(withdrawal.message).toBe('Your withdrawal of 2000 is requested.');
  expect(await post(`/withdrawals/${withdrawal.request_id}/settlement`, { status: 'SUCCESS' })).toMatchObject({
    status: 200,
  });
  expect(held(bet.bet_id)).toEqual(['reportBetEvent']);

  const worker = await start('worker');
  await expect.poll(() => held(bet.bet_id)).toEqual(['reportBetEvent', 'reportSettledBet']);
  await expect.poll(() => held(withdrawal.request_id)).toEqual(['reportWithdrawalEvent', 'reportSettledWithdrawal']);
  const [requested, settled] = gateway
    .reports()
    .filter(({ reference }) => reference === withdrawal.request_id)
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

it.each([
  ['/bets', { stake: 700 }, 'Your bet of 700 was placed before.'],
  ['/withdrawals', { amount: 700 }, 'Your withdrawal of 700 was requested before.'],
])('%s: the same key of the same player is one, also at the same time', async (path, content, before) => {
  const lock = new pg.Client({ connectionString: env.DATABASE_URL });
  await lock.connect();
  // Reads go on, and the inserts wait for each other.
  await lock.query(`BEGIN; LOCK TABLE ${path.slice(1)} IN SHARE ROW EXCLUSIVE MODE`);
  const press = () => post(path, { key: 'second', ...content });
  const presses = [press(), press(), press()];
  const waiting = `SELECT count(*)::int AS waiting FROM pg_locks WHERE relation = '${path.slice(1)}'::regclass AND NOT granted`;
  await expect.poll(async () => (await lock.query(waiting)).rows, { timeout: 20_000 }).toEqual([{ waiting: 3 }]);
  await lock.query('COMMIT');
  const answers = [...(await Promise.all(presses)), await press()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.bet_id ?? body.request_id)).size).toBe(1);
  expect(answers.filter(({ body }) => body.message === before)).toHaveLength(3);
  const { rows } = await lock.query(`SELECT player FROM ${path.slice(1)} WHERE key = 'second'`);
  expect(rows).toEqual([{ player: 'U-88412' }]);
  await lock.end();
});

it('refuses a wrong stake, and keeps no bet without its report', async () => {
  const message = expect.stringMatching(/^Something is wrong with this entry/);
  for (const wrong of [{ key: 'third', stake: 'much' }, { stake: 5 }])
    expect(await post('/bets', wrong)).toEqual({ status: 400, body: { error: 'validation', message } });
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(
    'SELECT (SELECT count(*)::int FROM bets) AS bets, (SELECT count(*)::int FROM location_sdk.reports) AS reports',
  );
  await client.end();
  expect(rows).toEqual([{ bets: 2, reports: 6 }]);
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
