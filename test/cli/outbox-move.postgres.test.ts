// @module-tag slow: needs PostgreSQL.
import { describe, expect, inject, it } from 'vitest';
import { originOf } from '../../src/cli/outbox/move.js';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { postgresMigrations } from '../../src/entries/outbox-postgres.js';
import { runWithin } from '../../src/outbox/stores/postgres/database.js';
import { importRows } from '../../src/outbox/stores/postgres/import-rows.js';
import { openExport } from '../../src/outbox/stores/sqlite/export-rows.js';
import { systemClock } from '../../src/platform/time.js';
import { change, claim, newRow, QUARANTINED, settledRow, WAITS, write } from '../outbox/contract/harness.js';
import { DAY_MS, recordMany } from '../outbox/prune/old-reports.js';
import { newSchema, openStore as openPostgres, pool } from '../outbox/stores/postgres/world.js';
import { copyOf, newFile, openLibsql, openStore as openSqlite } from '../outbox/stores/sqlite/files.js';
import { runCli } from '../support/cli-in-process.js';

const url = inject('postgresUrl');

/** Enqueues reports of every kind, with every field that a report can have. */
async function fill(store: OutboxStore): Promise<void> {
  const many = Array.from({ length: 1_200 }, (_, index) => newRow(`M-${index}`));
  await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-3'), newRow('B-4'), settledRow('B-4'), newRow('B-5', { environment: 'production' })]);
  await store.enqueue(many);
  const [recorded, dismissed, quarantined, retried, flying] = await claim(store, 5);
  if (!recorded || !dismissed || !quarantined || !retried || !flying) throw new Error('five rows to claim: expected five');
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
  });
  const decision = { id: 'decision-0000-0001', action: 'retry', who: 'ada', reason: 'mended', about: '{"ids":[]}', done: false };
  await store.console?.begin(decision);
  const { sequence, id } = retried;
  const again = {
    id,
    sequence,
    expected: { state: 'waiting', fence: retried.fence },
    change: change(retried, { ...WAITS, problem, decisions, inDoubt: true, attempts: 3, delayMs: 60_000 }),
  } as const;
  await store.console?.step({ id: decision.id, from: 0, to: sequence, done: true, skipped: 1, writes: [again] });
  await store.console?.begin({ ...decision, id: 'decision-0000-0002', action: 'body', done: true });
  await store.remember('salt', 'secret of the fingerprints');
}

/** A file without open handles, as after the end of a process: this process may keep the original open until garbage collection. */
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
  const pauses = (await store.outlook()).map(({ pause: { remainingMs: _, ...pause } }) => pause);
  return {
    rows: await store.list({ limit: 5_000 }),
    counts,
    decisions: await store.console?.decisions(undefined, 10),
    touched: await store.console?.touched('decision-0000-0001', -1),
    pauses: pauses.sort((a, b) => (a.environment < b.environment ? -1 : 1)),
    receipts: await store.receipts.read(0, 10),
    unlogged: (await store.receipts.unlogged(10)).map(({ id }) => id),
    salt: await store.remember('salt', 'another'),
  };
}

describe('location-sdk outbox <file> move', { timeout: 60_000 }, () => {
  /** Random characters, which PostgreSQL cannot compress: 3 bytes each. */
  const random = (length: number) => Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join('');

  it('names the reports that PostgreSQL refuses, changes nothing, and leaves them in the file once they are final', async () => {
    const schema = newSchema();
    const long = random(3_000);
    const rowOf = (store: OutboxStore) => store.list({ limit: 10 });
    const file = await filled((store) => store.enqueue([newRow('B-1'), newRow(long), newRow('B-2')]));
    const words = ['outbox', file, 'move', '--to', url, '--schema', schema];
    for (const more of [[], ['--skip-rejected']]) {
      const { code, err } = await runCli([...words, ...more]);
      expect(code).toBe(1);
      expect(err).toContain(`PostgreSQL refuses these reports of ${file}: number 2, default:staging:reportBetEvent:${long.slice(0, 60)}`);
      expect(err).toContain('… (waiting, 54000). Nothing was moved, and the file is unchanged.');
      expect(err).toContain('list --state waiting --after 1 --limit 1');
      expect(err).toContain('Then move again with --skip-rejected');
      expect(err.length).toBeLessThan(1_200);
    }
    const unchanged = await openSqlite(file);
    expect((await rowOf(unchanged)).map(({ reference, state }) => [reference, state])).toEqual(['B-1', long, 'B-2'].map((one) => [one, 'waiting']));
    await unchanged.close?.();

    const final = await filled(async (store) => {
      await store.enqueue([newRow('B-1'), newRow(long), newRow('B-2')]);
      const [, one] = await claim(store, 2);
      if (!one) throw new Error('expected two rows');
      await write(store, one, { message: 'ok' });
      await store.receipts.append([{ index: 0, id: one.id, line: '{}' }]);
    });
    const again = ['outbox', final, 'move', '--to', url, '--schema', schema];
    const asked = await runCli(again);
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('They are final: move again with --skip-rejected, which leaves them in the file')]);
    const { code, out } = await runCli([...again, '--skip-rejected', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { moved: true, schema, left: [2] }]);
    const moved = await openPostgres({ schema });
    expect((await rowOf(moved)).map(({ reference, sequence }) => [reference, sequence])).toEqual([
      ['B-1', 1],
      ['B-2', 3],
    ]);
    expect(await moved.receipts.read(0, 9)).toMatchObject([{ id: `default:staging:reportBetEvent:${long}` }]);
    expect((await moved.counts()).states.recorded).toBe(1);
    const [next] = await moved.enqueue([newRow('B-9')]);
    expect(next?.row.sequence).toBeGreaterThan(3);
  });

  it('moves everything once, and leaves a file that no store opens', async () => {
    const schema = newSchema();
    let before: Awaited<ReturnType<typeof told>> | undefined;
    const file = await filled(async (store) => {
      await fill(store);
      before = await told(store);
    });

    const first = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`Moved: ${file} to schema ${schema}`), err: '' });
    const moved = await openPostgres({ schema });
    expect(await told(moved)).toEqual(before);
    await expect(openSqlite(file)).rejects.toMatchObject({ name: 'SqliteStoreError', code: 'moved' });

    const [added] = await moved.enqueue([newRow('B-9')]);
    expect(added?.row.sequence).toBeGreaterThan(before?.rows.at(-1)?.sequence ?? 0);
    const second = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema, '--json']);
    expect([second.code, JSON.parse(second.out)]).toEqual([0, { moved: false, schema }]);
    expect(await moved.list({ limit: 5_000 })).toHaveLength((before?.rows.length ?? 0) + 1);
  });

  it('moves the reports that are left after a prune: from then on the totals do not count pruned ones', async () => {
    const [file, schema] = [newFile(), newSchema()];
    const past = await openSqlite(file, { clock: { ...systemClock, now: () => Date.now() - 500 * DAY_MS } });
    await recordMany(past, 'OLD', 3);
    await past.close?.();
    const store = await openSqlite(file);
    await recordMany(store, 'NEW', 1);
    expect(await store.prune?.({ account: 'default', olderThanMs: 400 * DAY_MS, after: 0, limit: 100 })).toMatchObject({ pruned: 3 });
    expect((await store.counts()).states.recorded).toBe(4);
    await store.close?.();
    expect((await runCli(['outbox', copyOf(file), 'move', '--to', url, '--schema', schema])).code).toBe(0);
    const moved = await openPostgres({ schema });
    expect((await moved.counts()).states.recorded).toBe(1);
    expect(await moved.receipts.read(0, 10)).toHaveLength(4);
  });

  it('refuses a schema that an instance has opened, even without reports, and says why', async () => {
    const schema = newSchema();
    await openPostgres({ schema });
    const file = await filled(async (store) => {
      await store.enqueue([newRow('B-1')]);
    });
    const refused = await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('the secret that an instance keeps at its first start; move to an empty schema')]);
    expect((await runCli(['outbox', file, 'move', '--to', url, '--schema', newSchema()])).code).toBe(0);
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
    expect([refused.code, refused.out, refused.err]).toEqual([1, '', expect.stringMatching(new RegExp(`was moved to \\S+:\\d+/\\w+, schema ${schema}:`))]);
    const { password } = new URL(url);
    if (password) expect(refused.err).not.toContain(`:${password}@`);
    expect((await pool.query('SELECT to_regnamespace($1) AS found', [second])).rows).toEqual([{ found: null }]);

    await pool.query(`TRUNCATE ${schema}.reports, ${schema}.queue, ${schema}.receipts, ${schema}.unlogged, ${schema}.settings`);
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
    expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining('finish that move, or abandon it') });
    const again = await runCli(['outbox', left, 'move', '--to', url, '--schema', schema]);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Moved: ') });
    await expect(openSqlite(left)).rejects.toMatchObject({ code: 'moved', message: expect.stringContaining(schema) });
  });

  it('finishes if the commit succeeded and the file was not marked', async () => {
    const [file, schema] = [await filled((store) => store.enqueue([newRow('B-1')])), newSchema()];
    const before = copyOf(file);
    await runCli(['outbox', file, 'move', '--to', url, '--schema', schema]);
    const { hostname, port, pathname } = new URL(url);
    const taken = openExport(openLibsql(before), before);
    taken.bind(`${hostname}:${port}${pathname}, schema ${schema}`);
    taken.close();
    const finished = await runCli(['outbox', copyOf(before), 'move', '--to', url, '--schema', schema, '--json']);
    expect([finished.code, JSON.parse(finished.out)]).toEqual([0, { moved: false, schema }]);
  });

  it('names the mistake in the call, or the problem of the server', async () => {
    const file = await filled((store) => store.enqueue([newRow('B-1')]));
    const name = await runCli(['outbox', file, 'move', '--to', url, '--schema', 'x y']);
    expect(name).toMatchObject({ code: 2, err: expect.stringContaining('schema: expected a name of small letters') });
    const address = await runCli(['outbox', file, 'move', '--to', 'postgres://app:hunt/er2@db/bets']);
    expect(address).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read: special characters') });
    const scheme = await runCli(['outbox', file, 'move', '--to', 'app:hunter2@db/bets']);
    expect(scheme).toMatchObject({ code: 2, err: expect.stringContaining('must begin with postgres://') });
    const missing = Object.assign(new URL(url), { pathname: '/none_such' }).href;
    const database = await runCli(['outbox', file, 'move', '--to', missing]);
    expect(database).toMatchObject({ code: 1, err: expect.stringContaining('look at the server, and at the address and password of the connection (3D000)') });
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

describe('location-sdk outbox <file> move --abandon', { timeout: 60_000 }, () => {
  const { hostname, port, pathname } = new URL(url);
  const placeIn = (schema: string) => `${hostname}:${port}${pathname}, schema ${schema}`;

  /** A file whose move to this schema has begun with an unknown result. */
  async function begun(schema: string): Promise<string> {
    const file = await filled((store) => store.enqueue([newRow('B-1')]));
    const taken = openExport(openLibsql(file), file);
    taken.bind(placeIn(schema));
    taken.close();
    return copyOf(file);
  }
  const abandon = (file: string, ...words: string[]) => runCli(['outbox', file, 'move', '--abandon', ...words]);
  const codeOf = async (file: string) => {
    const opened = await openSqlite(copyOf(file)).catch((error: { code: string }) => error.code);
    if (typeof opened === 'string') return opened;
    const references = (await opened.list({ limit: 10 })).map(({ reference }) => reference);
    await opened.close?.();
    return references;
  };

  it('releases a file that did not arrive, which can then move to another place', async () => {
    const [schema, empty, elsewhere] = [newSchema(), newSchema(), newSchema()];
    const file = await begun(schema);
    expect(await codeOf(file)).toBe('moving');
    expect(await abandon(file, '--to', url, '--schema', schema)).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Abandoned: ') });
    expect(await codeOf(file)).toEqual(['B-1']);
    expect((await runCli(['outbox', copyOf(file), 'move', '--to', url, '--schema', elsewhere])).code).toBe(0);

    await pool.query(postgresMigrations({ schema: empty }));
    const other = await begun(empty);
    const { code, out } = await abandon(other, '--to', url, '--schema', empty, '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { abandoned: true }]);
    expect(await codeOf(other)).toEqual(['B-1']);
    expect((await pool.query(`SELECT 1 FROM ${empty}.settings`)).rows).toEqual([]);
  });

  it('does not release a file that arrived, even without the mark', async () => {
    const schema = newSchema();
    const file = await filled((store) => store.enqueue([newRow('B-1')]));
    const unmarked = copyOf(file);
    expect((await runCli(['outbox', file, 'move', '--to', url, '--schema', schema])).code).toBe(0);
    for (const words of [
      ['--to', url, '--schema', schema],
      ['--gone', placeIn(schema)],
    ]) {
      expect(await abandon(copyOf(file), ...words)).toMatchObject({ code: 1, err: expect.stringContaining('was moved to') });
      expect(await codeOf(file)).toBe('moved');
    }
    const taken = openExport(openLibsql(unmarked), unmarked);
    taken.bind(placeIn(schema));
    taken.close();
    const left = copyOf(unmarked);
    expect(await abandon(left, '--to', url, '--schema', schema)).toMatchObject({ code: 1, err: expect.stringContaining('run the same move again') });
    expect(await codeOf(left)).toBe('moving');
  });

  it('waits for a move that may still commit', async () => {
    const schema = newSchema();
    const file = await begun(schema);
    await pool.query(postgresMigrations({ schema }));
    const held = openExport(openLibsql(copyOf(file)), 'a copy').content;
    const late = await pool.connect();
    try {
      await late.query('BEGIN');
      const run = runWithin({ query: (text, values) => late.query(text, values) }, schema);
      expect(await importRows(run, schema, held, originOf(held), () => {})).toBe('moved');
      const asked = abandon(file, '--to', url, '--schema', schema);
      await expect
        .poll(async () => (await pool.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1", [`%${schema}%`])).rows.length, {
          timeout: 20_000,
        })
        .toBe(1);
      await late.query('COMMIT');
      expect(await asked).toMatchObject({ code: 1, err: expect.stringContaining('has arrived') });
    } finally {
      late.release();
    }
    expect(await codeOf(file)).toBe('moving');
  });

  it('does not change the file if the result stays unknown, or another place is named', async () => {
    const [schema, other] = [newSchema(), newSchema()];
    const file = await begun(schema);
    const used = await openPostgres({ schema });
    await used.enqueue([newRow('B-7')]);
    expect(await abandon(file, '--to', url, '--schema', schema)).toMatchObject({ code: 1, err: expect.stringContaining('holds other data') });
    expect(await abandon(file, '--to', url, '--schema', other)).toMatchObject({ code: 1, err: expect.stringContaining('not to the place that you named') });
    expect(await abandon(file, '--gone', placeIn(other))).toMatchObject({ code: 1, err: expect.stringContaining('not to the place that you named') });
    expect(await abandon(file)).toMatchObject({ code: 2, err: expect.stringContaining('name it with --gone') });
    expect(await abandon(file, '--gone', placeIn(schema), '--to', url)).toMatchObject({ code: 2, err: expect.stringContaining('goes without --to') });
    expect(await runCli(['outbox', file, 'move', '--gone', 'x'])).toMatchObject({ code: 2, err: expect.stringContaining('--gone goes with move --abandon') });
    expect(await codeOf(file)).toBe('moving');
    const free = await filled((store) => store.enqueue([newRow('B-1')]));
    expect(await abandon(free, '--gone', placeIn(schema))).toMatchObject({ code: 1, err: expect.stringContaining('there is nothing to do') });
  });

  it('does not change the file if the server is a standby, which may lack the data', async () => {
    const schema = newSchema();
    const file = await begun(schema);
    const standby = new URL(url);
    // This function hides that of the system, so that the server answers like a standby.
    await pool.query(`CREATE SCHEMA ${schema}_standby; CREATE FUNCTION ${schema}_standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'`);
    standby.searchParams.set('options', `-c search_path=${schema}_standby,pg_catalog`);
    expect(await abandon(file, '--to', standby.href, '--schema', schema)).toMatchObject({ code: 1, err: expect.stringContaining('is a standby') });
    expect(await codeOf(file)).toBe('moving');
  });

  it('releases a file if a person names a server that is gone, as in the error', async () => {
    const file = newFile();
    const store = await openSqlite(file);
    await store.enqueue([newRow('B-1')]);
    await store.close?.();
    const left = copyOf(file);
    const taken = openExport(openLibsql(left), left);
    taken.bind('127.0.0.1:1/none, schema location_sdk');
    taken.close();
    const bound = copyOf(left);
    const asked = await abandon(bound, '--to', 'postgres://app:hunter2@127.0.0.1:1/none');
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('ECONNREFUSED') });
    expect(asked.err).not.toContain('hunter2');
    const { err } = await runCli(['outbox', bound]);
    const [, place = ''] = /give it up with its --abandon \((.*)\)/.exec(err) ?? [];
    expect(await abandon(bound, '--gone', place)).toMatchObject({ code: 0 });
    expect(await codeOf(bound)).toEqual(['B-1']);
  });
});
