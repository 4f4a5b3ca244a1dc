// @module-tag slow: needs PostgreSQL.
import PgBoss from 'pg-boss';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { storeContract } from '../../../../src/entries/outbox-contract.js';
import { pgBossStore } from '../../../../src/entries/outbox-pg-boss.js';
import { advance, newSchema, openStore, pool } from '../postgres/world.js';

// Each case has its own schema for its rows. All share one pg-boss, since its start takes longer than a case.
const bossSchema = `boss_${newSchema()}`;
let boss: PgBoss;

beforeAll(async () => {
  boss = await new PgBoss({ connectionString: inject('postgresUrl'), schema: bossSchema, max: 4, supervise: false, schedule: false }).start();
});

afterAll(async () => {
  await boss.stop({ graceful: false, wait: true });
  await pool.query(`DROP SCHEMA ${bossSchema} CASCADE`);
});

describe('the store with pg-boss', () => {
  it.each(storeContract.map(({ name, run }) => [name, run] as const))('%s', (_, run) =>
    run(async () => {
      const schema = newSchema();
      const made = async () => pgBossStore({ store: await openStore({ schema }), boss });
      return { store: await made(), advance: (milliseconds) => advance(schema, milliseconds), another: made, reopen: made };
    }),
  );
});
