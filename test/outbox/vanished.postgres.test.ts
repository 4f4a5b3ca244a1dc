import { describe, expect, it } from 'vitest';
import { GATEWAYS, newRow, STAGING } from './contract/harness.js';
import { newSchema, openStore, pool } from './stores/postgres/world.js';
import { ALL_SENT, loseBreaker } from './vanished.js';

describe('the counts of PostgreSQL', () => {
  it('include waiting reports whose binding the database has lost', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    await pool.query(`DELETE FROM ${schema}.destinations`);
    expect((await store.counts(['default'])).states.waiting).toBe(2);
    expect((await store.counts()).states.waiting).toBe(2);
    await store.close?.();
  });
});

it('writes a breaker while another tool deletes its destination, and forgets it when that is bound again', async () => {
  const schema = newSchema();
  const store = await openStore({ schema });
  const bound = { ...STAGING, gateway: GATEWAYS.staging };
  await store.bind([bound]);
  const tool = await pool.connect();
  await tool.query(`BEGIN; DELETE FROM ${schema}.destinations`);
  const written = store.pause({
    ...STAGING,
    operation: 'reportSettledBet',
    version: 0,
    reason: 'refusals',
    message: undefined,
    strikes: 1,
    forMs: 5_000,
    continues: false,
    repeats: false,
  });
  await Promise.race([written, new Promise((resolve) => setTimeout(resolve, 300))]);
  await tool.query('COMMIT');
  tool.release();
  expect(await written).toBe(true);
  await store.bind([bound]);
  expect((await store.outlook()).map(({ breakers }) => breakers)).toEqual([[]]);
  await store.close?.();
});

describe('a worker over PostgreSQL', () => {
  it.each([
    ['the row of its open breaker', ['breakers']],
    ['all pauses and bindings', ['breakers', 'destinations']],
    ['only the bindings', ['destinations']],
  ])('whose store loses %s sends all reports once the gateway is well', async (_, tables) => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const lose = () => pool.query(tables.map((table) => `DELETE FROM ${schema}.${table}`).join('; '));
    expect(await loseBreaker(store, lose)).toEqual(ALL_SENT);
    await store.close?.();
  });
});
