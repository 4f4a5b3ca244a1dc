import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { claim, newRow, QUARANTINED, settledRow, WAITS, write } from '../../src/outbox/contract/harness.js';
import type { OutboxStore } from '../../src/outbox/index.js';
import { postgresMigrations } from '../../src/outbox/stores/postgres/index.js';
import { newSchema, openStore as openPostgres, pool } from '../outbox/postgres/world.js';
import { copyOf, newFile, openStore as openSqlite } from '../outbox/sqlite/files.js';
import { type BuiltCli, buildCli } from '../support/built-cli.js';

let cli: BuiltCli;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli.remove());

const url = inject('postgresUrl');

/** Reports of every kind, with all that can be known of one. */
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
  await store.pause({ environment: 'production', version: 0, reason: 'authentication', message: 'HTTP 401', strikes: 2, forMs: 60_000, continues: false });
  await store.remember('salt', 'secret of the fingerprints');
}

/** A file as a process leaves it that has ended: this one holds what it opened until it is collected. */
async function filled(work: (store: OutboxStore) => Promise<unknown>): Promise<string> {
  const file = newFile();
  const store = await openSqlite(file);
  await work(store);
  await store.close?.();
  return copyOf(file);
}

/** Everything that a store tells. */
async function told(store: OutboxStore) {
  const pauses = (await store.outlook()).map(({ pause: { remainingMs: _, ...pause } }) => pause);
  return {
    rows: await store.list({ limit: 5_000 }),
    counts: await store.counts(),
    pauses: pauses.sort((a, b) => (a.environment < b.environment ? -1 : 1)),
    receipts: await store.receipts.read(0, 10),
    unlogged: (await store.receipts.unlogged(10)).map(({ id }) => id),
    salt: await store.remember('salt', 'another'),
  };
}

describe('location-sdk outbox <file> move', { timeout: 60_000 }, () => {
  it('takes everything along, once, and leaves a file that no store opens', async () => {
    const schema = newSchema();
    let before: Awaited<ReturnType<typeof told>> | undefined;
    const file = await filled(async (store) => {
      await fill(store);
      before = await told(store);
    });

    const first = await cli.run('outbox', file, 'move', '--to', url, '--schema', schema);
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`Moved: ${file} to schema ${schema}`), err: '' });
    const moved = await openPostgres({ schema });
    expect(await told(moved)).toEqual(before);
    await expect(openSqlite(file)).rejects.toMatchObject({ name: 'SqliteStoreError', code: 'moved' });

    const [added] = await moved.enqueue([newRow('B-9')]);
    expect(added?.row.sequence).toBeGreaterThan(before?.rows.at(-1)?.sequence ?? 0);
    const second = await cli.run('outbox', file, 'move', '--to', url, '--schema', schema, '--json');
    expect([second.code, JSON.parse(second.out)]).toEqual([0, { moved: false, schema }]);
    expect(await moved.list({ limit: 5_000 })).toHaveLength((before?.rows.length ?? 0) + 1);
  });

  it('changes nothing while a process has the file, and where the schema holds other data', async () => {
    const [file, schema] = [newFile(), newSchema()];
    const store = await openSqlite(file);
    await store.enqueue([newRow('B-1')]);
    const inUse = await cli.run('outbox', file, 'move', '--to', url, '--schema', schema);
    expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining('end every instance of the outbox first')]);
    await store.enqueue([newRow('B-2')]);
    await store.close?.();

    const other = await openPostgres({ schema });
    await other.enqueue([newRow('B-7')]);
    const left = copyOf(file);
    const refused = await cli.run('outbox', left, 'move', '--to', url, '--schema', schema);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('holds other data')]);
    expect((await other.list({ limit: 10 })).map(({ reference }) => reference)).toEqual(['B-7']);
    const again = await openSqlite(left);
    expect((await again.list({ limit: 10 })).map(({ reference }) => reference)).toEqual(['B-1', 'B-2']);
    await again.close?.();
  });

  it('moves nothing of a file where the database refuses a part of it', async () => {
    const [file, schema] = [await filled(fill), newSchema()];
    await pool.query(postgresMigrations({ schema }));
    await pool.query(`ALTER TABLE ${schema}.receipts ADD CONSTRAINT none CHECK (position < 0)`);
    const failed = await cli.run('outbox', file, 'move', '--to', url, '--schema', schema);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('(23514)')]);
    expect((await pool.query(`SELECT 1 FROM ${schema}.reports`)).rows).toEqual([]);
    await pool.query(`ALTER TABLE ${schema}.receipts DROP CONSTRAINT none`);
    expect((await cli.run('outbox', file, 'move', '--to', url, '--schema', schema)).code).toBe(0);
  });

  it('says what is missing, and never the password', async () => {
    const file = await filled((store) => store.enqueue([newRow('B-1')]));
    const without = await cli.run('outbox', file, 'move');
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('--to postgres://')]);
    const unreachable = await cli.run('outbox', file, 'move', '--to', 'postgres://app:hunter2@127.0.0.1:1/none');
    expect([unreachable.code, unreachable.err]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(unreachable.err).not.toContain('hunter2');
    await (await openSqlite(file)).close?.();
  });
});
