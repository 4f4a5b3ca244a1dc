// @module-tag slow: needs PostgreSQL.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { systemClock } from '../../src/core/platform/time.js';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { postgresMigrations } from '../../src/entries/outbox-postgres.js';
import { pauseKeyOf } from '../../src/outbox/rules/destination.js';
import { pausesOf } from '../../src/outbox/store/store.js';
import { openExport } from '../../src/outbox/stores/sqlite/export-rows.js';
import { change, claim, newRow, QUARANTINED, settledRow, WAITS, write } from '../outbox/contract/harness.js';
import { DAY_MS, recordMany } from '../outbox/prune/old-reports.js';
import { newSchema, openStore as openPostgres, pool } from '../outbox/stores/postgres/world.js';
import { copyOf, newFile, openSqlite as openFile, openStore as openSqlite } from '../outbox/stores/sqlite/files.js';
import { runCli } from '../support/cli-in-process.js';

const url = inject('postgresUrl');

/** Enqueues reports of every kind, with every field that a report can have. */
async function fill(store: OutboxStore): Promise<void> {
  const many = Array.from({ length: 1_200 }, (_, index) => newRow(`M-${index}`));
  await store.enqueue([
    newRow('B-1'),
    newRow('B-2'),
    newRow('B-3'),
    newRow('B-4'),
    settledRow('B-4'),
    newRow('B-5', { environment: 'production' }),
  ]);
  await store.enqueue(many);
  const [recorded, dismissed, quarantined, retried, flying] = await claim(store, 5);
  if (!recorded || !dismissed || !quarantined || !retried || !flying)
    throw new Error('five rows to claim: expected five');
  const problem = { code: 'gateway', message: 'HTTP 500', status: 500 } as const;
  const decisions = [{ action: 'retry', reason: 'why "not"', at: 5 }] as const;
  await write(store, recorded, { message: 'ok' });
  await write(store, dismissed, { state: 'dismissed', outcome: undefined, decisions, problem });
  await write(store, quarantined, { ...QUARANTINED, problem, inDoubt: true });
  await write(store, retried, { ...WAITS, problem, decisions, inDoubt: true, attempts: 3, delayMs: 60_000 });
  await store.receipts.append([{ index: 0, id: recorded.id, line: '{"a":"line \\u0000"}' }]);
  await store.pause({
    account: 'default',
    environment: 'production',
    version: 0,
    reason: 'authentication',
    message: 'HTTP 401',
    strikes: 2,
    forMs: 60_000,
    continues: false,
    repeats: false,
  });
  await store.pause({
    account: 'default',
    environment: 'staging',
    operation: 'reportBetEvent',
    version: 0,
    reason: undefined,
    message: undefined,
    strikes: 3,
    forMs: 0,
    continues: false,
    repeats: false,
  });
  await store.keepRate?.({ account: 'default', environment: 'staging' }, { perSecond: 12.5, spanMs: 30_000 });
  const decision = {
    id: 'decision-0000-0001',
    action: 'retry',
    who: 'ada',
    reason: 'mended',
    about: '{"ids":[]}',
    done: false,
  };
  await store.operator?.begin(decision);
  const { sequence, id } = retried;
  const again = {
    id,
    sequence,
    expected: { state: 'waiting', fence: retried.fence },
    change: change(retried, { ...WAITS, problem, decisions, inDoubt: true, attempts: 3, delayMs: 60_000 }),
  } as const;
  await store.operator?.step({ id: decision.id, from: 0, to: sequence, done: true, skipped: 1, writes: [again] });
  await store.operator?.begin({ ...decision, id: 'decision-0000-0002', action: 'body', done: true });
  await store.getOrCreateSetting('salt', 'secret of the fingerprints');
}

/**
 * A file without open handles, as after the end of a process: this process may keep the original open until garbage
 * collection.
 */
async function filled(work: (store: OutboxStore) => Promise<unknown>): Promise<string> {
  const file = newFile();
  const store = await openSqlite(file);
  await work(store);
  await store.close?.();
  return copyOf(file);
}

/** Reads everything from a store. */
async function told(store: OutboxStore) {
  const { countedAt: _, ...counts } = await store.counts();
  const outlooks = await store.outlook();
  const pauses = pausesOf(outlooks).map(({ remainingMs: _, ...pause }) => pause);
  return {
    rows: await store.list({ limit: 5_000 }),
    counts,
    decisions: await store.operator?.decisions(undefined, 10),
    touched: await store.operator?.touched('decision-0000-0001', -1),
    rates: outlooks
      .map(({ environment, rate }) => [environment, rate && { ...rate, ageMs: Math.round(rate.ageMs / DAY_MS) }])
      .sort(),
    pauses: pauses.sort((a, b) => (pauseKeyOf(a) < pauseKeyOf(b) ? -1 : 1)),
    receipts: await store.receipts.read(0, 10),
    unlogged: (await store.receipts.unlogged(10)).map(({ id }) => id),
    salt: await store.getOrCreateSetting('salt', 'another'),
  };
}

describe('location-sdk outbox <file> move', { timeout: 60_000 }, () => {
  /** Random characters, which PostgreSQL cannot compress: 3 bytes each. */
  const random = (length: number) =>
    Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join('');

  it('names the reports that PostgreSQL refuses, and changes nothing', async () => {
    const schema = newSchema();
    const long = random(3_000);
    const file = await filled((store) => store.enqueue([newRow('B-1'), newRow(long), newRow('B-2')]));
    const { code, err } = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect(code).toBe(1);
    expect(err).toContain(
      `PostgreSQL refuses these reports of ${file}: number 2, default:staging:reportBetEvent:${long.slice(0, 60)}`,
    );
    expect(err).toContain('… (waiting, 54000). Nothing was moved, and the file is unchanged.');
    expect(err.length).toBeLessThan(1_200);
    const unchanged = await openSqlite(file);
    expect((await unchanged.list({ limit: 10 })).map(({ reference, state }) => [reference, state])).toEqual(
      ['B-1', long, 'B-2'].map((one) => [one, 'waiting']),
    );
    await unchanged.close?.();
  });

  it('moves everything once, and leaves a file that no store opens', async () => {
    const schema = newSchema();
    let before: Awaited<ReturnType<typeof told>> | undefined;
    const file = await filled(async (store) => {
      await fill(store);
      before = await told(store);
    });

    const first = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect(first).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Moved: ${file} to schema ${schema}`),
      err: '',
    });
    const moved = await openPostgres({ schema });
    expect(await told(moved)).toEqual(before);
    await expect(openSqlite(file)).rejects.toMatchObject({ name: 'StoreError', code: 'moved' });

    const [added] = await moved.enqueue([newRow('B-9')]);
    expect(added?.row.sequence).toBeGreaterThan(before?.rows.at(-1)?.sequence ?? 0);
    const second = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema, '--json']);
    expect([second.code, JSON.parse(second.out)]).toEqual([0, { moved: false, schema }]);
    expect(await moved.list({ limit: 5_000 })).toHaveLength((before?.rows.length ?? 0) + 1);
  });

  it('moves a report with a reason that was cut within a character', async () => {
    const schema = newSchema();
    const decisions = [{ action: 'dismissed', reason: 'the player has left \ud83d', at: 5 }] as const;
    const file = await filled(async (store) => {
      await store.enqueue([newRow('B-1')]);
      const [row] = await claim(store, 1);
      if (!row) throw new Error('the row is gone');
      await write(store, row, { state: 'dismissed', outcome: undefined, decisions });
    });
    const run = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect(run).toMatchObject({ code: 0, err: '' });
    const moved = await openPostgres({ schema });
    expect(await moved.list({ limit: 9 })).toMatchObject([
      { state: 'dismissed', decisions: [{ action: 'dismissed', reason: 'the player has left \ufffd', at: 5 }] },
    ]);
  });

  it('counts pruned reports as before, and gives their numbers to no other report', async () => {
    const [file, schema] = [newFile(), newSchema()];
    const past = await openSqlite(file, { clock: { ...systemClock, now: () => Date.now() - 500 * DAY_MS } });
    await recordMany(past, 'KEPT', 1);
    await recordMany(past, 'OLD', 3);
    await past.close?.();
    const store = await openSqlite(file);
    expect(await store.prune?.({ account: 'default', olderThanMs: 400 * DAY_MS, after: 1, limit: 100 })).toMatchObject({
      pruned: 3,
    });
    const { states, attempts } = await store.counts();
    expect(states.recorded).toBe(4);
    await store.close?.();
    expect((await runCli(['outbox', copyOf(file), 'move', '--to', url, '--schema', schema])).code).toBe(0);
    const moved = await openPostgres({ schema });
    expect(await moved.counts()).toMatchObject({ states, attempts });
    expect(await moved.receipts.read(0, 10)).toHaveLength(4);
    const [added] = await moved.enqueue([newRow('B-9')]);
    expect(added?.row.sequence).toBe(5);
  });

  it('refuses a schema that an instance has opened, even without reports, and says why', async () => {
    const schema = newSchema();
    await openPostgres({ schema });
    const file = await filled(async (store) => {
      await store.enqueue([newRow('B-1')]);
    });
    const refused = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('the secret that an instance keeps at its first start; move to an empty schema'),
    ]);
    expect((await runCli(['outbox', file, 'move', '--to', url, '--schema', newSchema()])).code).toBe(0);
  });

  it('fills a schema that another command has looked at', async () => {
    const schema = newSchema();
    const file = await filled((store) => store.enqueue([newRow('B-1')]));
    await pool.query(postgresMigrations({ schema }));
    for (const command of ['stats', 'list', 'export', 'keys'])
      expect(await runCli(['outbox', url, command, '--schema', schema])).toMatchObject({ code: 0 });
    expect(await runCli(['outbox', file, 'move', '--to', url, '--schema', schema])).toMatchObject({ code: 0, err: '' });
  });

  it('changes nothing while a process has the file, or if the schema holds other data', async () => {
    const [file, schema] = [newFile(), newSchema()];
    const store = await openSqlite(file);
    await store.enqueue([newRow('B-1')]);
    const inUse = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining('end every instance of the outbox first')]);
    await store.enqueue([newRow('B-2')]);
    await store.close?.();

    const other = await openPostgres({ schema });
    await other.enqueue([newRow('B-7')]);
    const left = copyOf(file);
    const refused = await runCli(['outbox', left, 'move', '--to', url, '--schema', schema]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('holds other data')]);
    expect((await other.list({ limit: 10 })).map(({ reference }) => reference)).toEqual(['B-7']);
    const again = await openSqlite(left);
    expect((await again.list({ limit: 10 })).map(({ reference }) => reference)).toEqual(['B-1', 'B-2']);
    await again.close?.();
  });

  it('moves nothing if the database refuses a part of the file', async () => {
    const [file, schema] = [await filled(fill), newSchema()];
    await pool.query(postgresMigrations({ schema }));
    await pool.query(`ALTER TABLE ${schema}.receipts ADD CONSTRAINT none CHECK (position < 0)`);
    const failed = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('(23514)')]);
    expect((await pool.query(`SELECT 1 FROM ${schema}.reports`)).rows).toEqual([]);
    await pool.query(`ALTER TABLE ${schema}.receipts DROP CONSTRAINT none`);
    expect((await runCli(['outbox', file, 'move', '--to', url, '--schema', schema])).code).toBe(0);
  });

  it('moves a file to one place only', async () => {
    const [file, schema, second] = [await filled((store) => store.enqueue([newRow('B-1')])), newSchema(), newSchema()];
    expect((await runCli(['outbox', file, 'move', '--to', url, '--schema', schema])).code).toBe(0);
    const refused = await runCli(['outbox', file, 'move', '--to', url, '--schema', second]);
    expect([refused.code, refused.out, refused.err]).toEqual([
      1,
      '',
      expect.stringMatching(new RegExp(`was moved to \\S+:\\d+/\\w+, schema ${schema}:`)),
    ]);
    const { password } = new URL(url);
    if (password) expect(refused.err).not.toContain(`:${password}@`);
    expect((await pool.query('SELECT to_regnamespace($1) AS found', [second])).rows).toEqual([{ found: null }]);

    await pool.query(
      `TRUNCATE ${schema}.reports, ${schema}.queue, ${schema}.receipts, ${schema}.unlogged, ${schema}.settings`,
    );
    const lost = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining('its data is no longer there')]);
    expect((await pool.query(`SELECT count(*)::int AS number FROM ${schema}.reports`)).rows).toEqual([{ number: 0 }]);
  });

  it('after an unknown result, no store opens the file, and only the same move may finish', async () => {
    const [file, schema, other] = [await filled((store) => store.enqueue([newRow('B-1')])), newSchema(), newSchema()];
    await pool.query(postgresMigrations({ schema }));
    const atCommit = (statement: string) =>
      pool.query(`CREATE FUNCTION ${schema}.at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON ${schema}.reports DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.at_commit()`);
    const move = (to: string) => runCli(['outbox', file, 'move', '--to', url, '--schema', to]);

    await atCommit("RAISE EXCEPTION 'no' USING ERRCODE = '23514'");
    expect(await move(schema)).toMatchObject({ code: 1, err: expect.stringContaining('(23514)') });
    await (await openSqlite(file)).close?.();
    await pool.query(`DROP FUNCTION ${schema}.at_commit CASCADE`);

    const left = copyOf(file);
    await atCommit('PERFORM pg_terminate_backend(pg_backend_pid())');
    const broken = await runCli(['outbox', left, 'move', '--to', url, '--schema', schema]);
    expect(broken).toMatchObject({ code: 1, err: expect.stringContaining('run the same move again') });
    await pool.query(`DROP FUNCTION ${schema}.at_commit CASCADE`);
    await expect(openSqlite(left)).rejects.toMatchObject({ code: 'moving', message: expect.stringContaining(schema) });
    const elsewhere = await runCli(['outbox', left, 'move', '--to', url, '--schema', other]);
    expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining('finish that move') });
    const again = await runCli(['outbox', left, 'move', '--to', url, '--schema', schema]);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Moved: ') });
    await expect(openSqlite(left)).rejects.toMatchObject({ code: 'moved', message: expect.stringContaining(schema) });
  });

  it('finishes if the commit succeeded and the file was not marked', async () => {
    const [file, schema] = [await filled((store) => store.enqueue([newRow('B-1')])), newSchema()];
    const before = copyOf(file);
    await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    const { hostname, port, pathname } = new URL(url);
    const taken = openExport(openFile(before), before);
    taken.bind(`${hostname}:${port}${pathname}, schema ${schema}`);
    taken.close();
    const finished = await runCli(['outbox', copyOf(before), 'move', '--to', url, '--schema', schema, '--json']);
    expect([finished.code, JSON.parse(finished.out)]).toEqual([0, { moved: false, schema }]);
  });

  it('moves a row that is damaged alone as quarantined, and refuses a damaged file', async () => {
    const [file, schema] = [
      await filled((store) => store.enqueue(Array.from({ length: 200 }, (_, index) => newRow(`B-${index}`)))),
      newSchema(),
    ];
    const other = openFile(file);
    other.exec("UPDATE outbox_rows SET outcome = 'x' WHERE reference = 'B-7'");
    other.close();
    const broken = copyOf(file);
    const bytes = readFileSync(broken);
    const page = Math.floor(bytes.indexOf('reportBetEventB-100') / 4_096) * 4_096;
    bytes.fill(0x5a, page, page + 4_096);
    writeFileSync(broken, bytes);
    expect(await runCli(['outbox', broken, 'move', '--to', url, '--schema', schema])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('is damaged'),
    });
    expect((await runCli(['outbox', copyOf(file), 'move', '--to', url, '--schema', schema])).code).toBe(0);
    const moved = await openPostgres({ schema });
    const rows = await moved.list({ limit: 1_000 });
    expect(rows).toHaveLength(200);
    expect(rows.filter(({ state }) => state !== 'waiting').map(({ reference, state }) => [reference, state])).toEqual([
      ['B-7', 'quarantined'],
    ]);
  });

  it('names the mistake in the call, or the problem of the server', async () => {
    const file = await filled((store) => store.enqueue([newRow('B-1')]));
    const name = await runCli(['outbox', file, 'move', '--to', url, '--schema', 'x y']);
    expect(name).toMatchObject({ code: 2, err: expect.stringContaining('--schema must be a name of small letters') });
    const address = await runCli(['outbox', file, 'move', '--to', 'postgres://app:hunt/er2@db/bets']);
    expect(address).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read: special characters') });
    const scheme = await runCli(['outbox', file, 'move', '--to', 'app:hunter2@db/bets']);
    expect(scheme).toMatchObject({ code: 2, err: expect.stringContaining('must begin with postgres://') });
    const missing = Object.assign(new URL(url), { pathname: '/none_such' }).href;
    const database = await runCli(['outbox', file, 'move', '--to', missing]);
    expect(database).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no database none_such. Create it, or correct its name in the connection'),
    });
    for (const { err } of [address, scheme, database]) expect(err).not.toMatch(/hunt|er2/);
    await (await openSqlite(file)).close?.();
  });

  it('names a missing option, and prints no password', async () => {
    const file = await filled((store) => store.enqueue([newRow('B-1')]));
    const without = await runCli(['outbox', file, 'move']);
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('--to postgres://')]);
    const unreachable = await runCli(['outbox', file, 'move', '--to', 'postgres://app:hunter2@127.0.0.1:1/none']);
    expect([unreachable.code, unreachable.err]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(unreachable.err).not.toContain('hunter2');
    await (await openSqlite(file)).close?.();
  });
});
