import { describe, expect, it } from 'vitest';
import { newSchema, openStore, pool } from './stores/postgres/world.js';
import { ALL_SENT, loseBreaker } from './vanished.js';

describe('a worker over PostgreSQL', () => {
  it.each([
    ['the row of its open breaker', "WHERE environment = 'staging/reportSettledBet'"],
    ['all pauses and bindings', ''],
  ])('whose store loses %s sends all reports once the gateway is well', async (_, which) => {
    const schema = newSchema();
    const store = await openStore({ schema });
    expect(await loseBreaker(store, () => pool.query(`DELETE FROM ${schema}.destinations ${which}`))).toMatchObject(ALL_SENT);
    await store.close?.();
  });
});
