// @module-tag slow: needs PostgreSQL.
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { ConfigurationError } from '../../../../src/entries/index.js';
import { postgresStore } from '../../../../src/entries/outbox-postgres.js';
import { openPostgresStore } from '../../../../src/outbox/stores/postgres/store.js';
import { startProxy } from '../../../soak-postgres/proxy.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { claim, idsOf, newRow, settledRow } from '../../contract/harness.js';
import { advance, FIRST_PAUSE, newSchema, openStore, pool } from './world.js';

const LATE = {
  name: 'StoreError',
  code: 'timeout',
  message: expect.stringContaining('enqueue the same again'),
};

/** A store whose network can be cut without notice to either side. */
async function storeOverProxy({ timeoutMs = 500, max = 3 } = {}) {
  const schema = newSchema();
  await openStore({ schema });
  const address = new URL(inject('postgresUrl'));
  const proxy = await startProxy(Number(address.port));
  address.port = String(proxy.port);
  const own = new pg.Pool({ connectionString: address.href, max, connectionTimeoutMillis: 2_000 });
  own.on('error', () => {});
  own.on('connect', (client) => void client.on('error', () => {}));
  const store = await postgresStore({ database: own, schema, timeoutMs: 20_000 });
  const impatient = await postgresStore({ database: own, schema, timeoutMs });
  onTestFinished(async () => {
    await own.end();
    await proxy.close();
  });
  return { schema, own, proxy, store, impatient };
}

/** Blocks every statement on a table until it is released. */
async function hold(table: string) {
  const client = await pool.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

describe('a connection that stops answering', () => {
  it('reaches the time limit and is closed, and another one is used when available', async () => {
    const { own, proxy, store, impatient } = await storeOverProxy();
    const restore = proxy.cut();
    const ways = [
      () => impatient.enqueue([newRow('B-1')]),
      () => impatient.enqueue([newRow('B-2'), newRow('B-3')]),
      () => claim(impatient),
      () => impatient.outlook(),
      () => impatient.counts(),
      () => impatient.list({ limit: 1 }),
      () => impatient.get(['x']),
      () => impatient.pause(FIRST_PAUSE),
      () => impatient.getOrCreateSetting('name', 'value'),
      () => impatient.receipts.append([]),
      () => impatient.receipts.last(),
    ];
    for (const way of ways) await expect(way()).rejects.toMatchObject(LATE);
    restore();
    await expect.poll(() => [own.totalCount - own.idleCount, own.waitingCount], { timeout: 10_000 }).toEqual([0, 0]);
    expect(await store.enqueue([newRow('B-1')])).toMatchObject([{ added: true }]);
  });

  it("of the user's own transaction reaches the time limit, too, and must be closed", async () => {
    const { own, proxy, impatient } = await storeOverProxy();
    const client = await own.connect();
    await client.query('BEGIN');
    const restore = proxy.cut();
    await expect(impatient.enqueue([newRow('B-1')], client)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('release(true)'),
    });
    client.release(true);
    restore();
    expect(own.totalCount).toBe(0);
    await expect.poll(() => impatient.list({ limit: 1 })).toEqual([]);
  });
});

describe('an answer that comes too late', () => {
  it('of an enqueue that was committed: the same report again is the same row', async () => {
    const schema = newSchema();
    const [store, impatient] = [await openStore({ schema }), await openStore({ schema, timeoutMs: 500 })];
    const release = await hold(`${schema}.reports`);
    await expect(impatient.enqueue([newRow('B-1', { body: 'first' })])).rejects.toMatchObject(LATE);
    await release();
    await expect.poll(() => store.list({ limit: 2 }), { timeout: 10_000 }).toHaveLength(1);
    expect(await impatient.enqueue([newRow('B-1', { body: 'first' })])).toMatchObject([
      { added: false, row: { body: 'first' } },
    ]);
  });

  it('of a claim that was committed: its rows are claimed again after their lease', async () => {
    const schema = newSchema();
    const [store, impatient] = [await openStore({ schema }), await openStore({ schema, timeoutMs: 500 })];
    await store.enqueue([newRow('B-1')]);
    const release = await hold(`${schema}.queue`);
    await expect(claim(impatient)).rejects.toMatchObject(LATE);
    await release();
    await expect.poll(async () => (await store.counts()).states['in-flight'], { timeout: 10_000 }).toBe(1);
    expect(await claim(impatient)).toEqual([]);
    await advance(schema, 3_600_000);
    expect(await claim(impatient)).toMatchObject([{ reference: 'B-1', attempts: 2, inDoubt: true }]);
  });

  it('of a pool that lent its connections to others: the statement is no longer sent', async () => {
    const schema = newSchema();
    // Makes the tables, which takes longer than the limit below on a slow machine.
    await openStore({ schema });
    const own = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 });
    onTestFinished(() => own.end());
    const store = await postgresStore({ database: own, schema, timeoutMs: 500 });
    const lent = await own.connect();
    for (const row of [newRow('B-1'), settledRow('B-1')])
      await expect(store.enqueue([row])).rejects.toMatchObject(LATE);
    lent.release();
    await store.enqueue([newRow('B-2')]);
    expect(idsOf(await store.list({ limit: 9 }))).toEqual([newRow('B-2').id]);
    expect([own.totalCount, own.waitingCount]).toEqual([1, 0]);
  });
});

it('every wait is at most 30 seconds without the option timeoutMs', async () => {
  const clock = new FakeClock();
  const began = clock.now();
  await expect(
    clock.run(openPostgresStore({ database: { query: () => new Promise(() => {}) } }, { clock })),
  ).rejects.toMatchObject({ code: 'timeout' });
  expect(clock.now() - began).toBe(30_000);
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '100'])(
  'every wait has a limit: timeoutMs %s is refused',
  async (timeoutMs) => {
    const refusal = openStore({ timeoutMs: timeoutMs as number });
    await expect(refusal).rejects.toThrow(ConfigurationError);
    await expect(refusal).rejects.toThrow('timeoutMs: expected a number of milliseconds from 1 to 2147483647');
  },
);
