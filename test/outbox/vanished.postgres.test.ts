import { describe, expect, it } from 'vitest';
import { newRow } from './contract/harness.js';
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

describe('a worker over PostgreSQL', () => {
  it.each([
    ['the row of its open breaker', "WHERE environment = 'staging/reportSettledBet'"],
    ['all pauses and bindings', ''],
  ])('whose store loses %s sends all reports once the gateway is well', async (_, which) => {
    const schema = newSchema();
    const store = await openStore({ schema });
    expect(await loseBreaker(store, () => pool.query(`DELETE FROM ${schema}.destinations ${which}`))).toEqual(ALL_SENT);
    await store.close?.();
  });
});
