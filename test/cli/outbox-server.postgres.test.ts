// @module-tag slow: needs PostgreSQL.
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { createOperator } from '../../src/operator/operator.js';
import { claim, newRow, QUARANTINED, read, settledRow, write } from '../outbox/contract/harness.js';
import { newSchema, openStore, pool } from '../outbox/stores/postgres/world.js';
import { newFile } from '../outbox/stores/sqlite/files.js';
import { runCli } from '../support/cli-in-process.js';

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => vi.unstubAllEnvs());

const url = inject('postgresUrl');
const BAD = 'default:staging:reportBetEvent:B-bad';

/** A recorded report, and a quarantined one with its settlement. */
async function filled(): Promise<string> {
  const schema = newSchema();
  const store = await openStore({ schema });
  await store.enqueue([newRow('B-1'), newRow('B-bad'), settledRow('B-bad')]);
  const [recorded, quarantined] = await claim(store, 2);
  if (!recorded || !quarantined) throw new Error('two rows to claim: expected two');
  await write(store, recorded, { message: 'ok' });
  await write(store, quarantined, {
    ...QUARANTINED,
    problem: { code: 'unprocessable', message: 'HTTP 422', status: 422 },
  });
  return schema;
}

describe('location-sdk outbox postgres://…', () => {
  it('reads an outbox in PostgreSQL, and decides about its reports', async () => {
    const schema = await filled();
    vi.stubEnv('DATABASE_URL', url);
    const outbox = (...words: string[]) => runCli(['outbox', url, ...words, '--schema', schema]);
    const command = `location-sdk outbox "$DATABASE_URL" --schema ${schema}`;
    const stats = await outbox('stats');
    expect(stats).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/quarantined +1 {2}need a person/) });
    expect(stats.out).toContain(`${command} list --state quarantined`);
    expect((await outbox('list')).out).toContain(BAD);
    expect((await outbox('show', BAD)).out).toContain(`${command} retry ${BAD} --reason`);
    const list = `${newFile()}.txt`;
    writeFileSync(list, 'B-1\nB-9\n');
    const books = await outbox('reconcile', list, '--operation', 'reportBetEvent', '--environment', 'staging');
    expect(books).toMatchObject({ code: 1, out: 'never-seen  -                 reportBetEvent          B-9\n' });
    expect(await outbox('retry', BAD)).toMatchObject({ code: 0, out: `${BAD} waits to be sent again\n` });
    expect(JSON.parse((await outbox('show', BAD, '--json')).out)).toMatchObject({
      state: 'waiting',
      decisions: [{ action: 'retry' }],
    });
    expect((await outbox('export')).out.split('\n')).toHaveLength(2);
    expect(await outbox('verify')).toMatchObject({ code: 0, out: expect.stringContaining('Sound: 1 receipts') });
    for (const { out, err } of [stats, books]) expect(out + err).not.toContain(url);
  });

  it('names the server that has no such database, or refuses the login, and never the password', async () => {
    const { hostname, port } = new URL(url);
    const stats = (change: Partial<URL>) => runCli(['outbox', Object.assign(new URL(url), change).href, 'stats']);
    const missing = await stats({ pathname: '/no_such_bets' });
    expect(missing.code).not.toBe(0);
    expect(missing.err).toContain(`the server ${hostname}:${port} was reached, and has no database no_such_bets`);
    const { err } = await stats({ username: 'no_such_role', password: 'pw-canary' });
    expect(err).toContain(`refused the login: the server ${hostname}:${port} was reached for the database`);
    expect(err).not.toContain('canary');
  });

  it('makes the tables as their owner, once, and prints the rights of another role', async () => {
    const schema = newSchema();
    const role = `${schema}_app`;
    await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'app'`);
    const worker = Object.assign(new URL(url), { username: role, password: 'app' }).href;
    const refused = await runCli(['outbox', worker, 'migrate', '--schema', schema]);
    expect([refused.code === 0, refused.err]).toEqual([
      false,
      expect.stringContaining(`npx location-sdk outbox "$DATABASE_URL" migrate --schema ${schema}`),
    ]);
    const made = await runCli(['outbox', url, 'migrate', '--schema', schema]);
    expect(made).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining(`Made the tables in schema ${schema}.`),
    });
    const again = JSON.parse((await runCli(['outbox', url, 'migrate', '--schema', schema, '--json'])).out);
    expect(again).toMatchObject({ made: false, schema });
    await pool.query(again.grants.join(' ').replaceAll('your_role', role));
    expect((await runCli(['outbox', worker, 'stats', '--schema', schema])).code).toBe(0);
    expect(await runCli(['outbox', 'outbox.db', 'migrate'])).toMatchObject({ code: 2, out: '' });
  });

  it('dismisses a report together with its blocked settlement', async () => {
    const schema = await filled();
    const settlement = 'default:staging:reportSettledBet:B-bad';
    const outbox = (...words: string[]) => runCli(['outbox', url, ...words, '--schema', schema]);
    const states = async () => JSON.parse((await outbox('stats', '--json')).out).states;
    expect(await states()).toMatchObject({ blocked: 1, waiting: 0 });
    expect(
      await outbox('resolve', 'B-bad', '--as', 'dismissed', '--with-settlement', '--reason', 'a test bet'),
    ).toMatchObject({
      code: 0,
      out: `${BAD} is dismissed\n${settlement} is dismissed\n`,
    });
    expect(await states()).toMatchObject({ blocked: 0, dismissed: 2 });
    expect(await outbox('keys')).toMatchObject({ code: 0, err: 'No report was encrypted.\n' });
  });

  it('blocks a settlement again if another person retries its report meanwhile', async () => {
    const store = await openStore({ schema: await filled() });
    const decide = (over: OutboxStore, action: 'retry' | 'dismissed') =>
      createOperator({ over }).decide({
        decision: crypto.randomUUID(),
        action,
        who: 'ada',
        reason: 'mended',
        selection: { ids: [BAD] },
        withSettlements: action === 'dismissed',
      });
    const own = store.operator;
    const watched: OutboxStore = {
      ...store,
      ...(own && {
        operator: {
          ...own,
          async step(step) {
            await decide(store, 'retry');
            return own.step(step);
          },
        },
      }),
    };
    expect((await decide(watched, 'dismissed')).refused).toEqual([{ id: BAD, why: 'it was changed in the meantime' }]);
    expect((await claim(store)).map(({ id }) => id)).toEqual([BAD]);
    expect(await read(store, 'default:staging:reportSettledBet:B-bad')).toMatchObject({
      state: 'waiting',
      blocked: true,
    });
  });

  it('creates nothing in a database without an outbox', async () => {
    const schema = newSchema();
    expect(await runCli(['outbox', url, 'list', '--schema', schema])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('has no tables'),
    });
    expect((await pool.query('SELECT to_regnamespace($1) AS found', [schema])).rows).toEqual([{ found: null }]);
  });

  it.each([
    [['postgres://app:hunter2@127.0.0.1:1/bets', 'list'], 1, '(ECONNREFUSED)'],
    [['postgres://app:hunter2@127.0.0.1:1/bets', 'move', '--to', url], 2, 'move takes a file'],
    [['postgres://app:hun/ter2@db/bets', 'list'], 2, 'cannot be read'],
    [['mysql://app:hunter2@db/bets', 'list'], 2, 'must be the path of a file, or an address'],
    [['host=db password=hunter2', 'list'], 2, 'must be the path of a file, or an address'],
    [['outbox.db', 'move', 'postgres://app:hunter2@db/bets'], 2, "unexpected word 'postgres://…'"],
    [['outbox.db', 'postgres://db/bets?password=hunter2'], 2, 'unknown command postgres://…'],
  ])('prints no password: %j', async (words, code, said) => {
    const ended = await runCli(['outbox', ...words]);
    expect(ended).toMatchObject({ code, out: '', err: expect.stringContaining(said) });
    expect(ended.err).not.toMatch(/hun|ter2/);
  });
});
