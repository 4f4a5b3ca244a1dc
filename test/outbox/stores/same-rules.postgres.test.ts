// @module-tag slow: needs PostgreSQL; same-rules.test.ts compares the rules of SQLite.
import pg from 'pg';
import { it } from 'vitest';
import { postgresStore } from '../../../src/entries/outbox-postgres.js';
import { FakeClock } from '../../support/fake-clock.js';
import { directUrl, newSchema } from './postgres/world.js';
import { sameRules } from './same-rules.js';
import { newFile, openStore } from './sqlite/files.js';

/** A pool over which the database's clock is a row of a table: a schema before PostgreSQL's own has its functions. */
async function poolWithClock(clock: FakeClock) {
  const schema = newSchema();
  const connectionString = directUrl('connections with another clock, since a pooler refuses their search path');
  const pool = new pg.Pool({ connectionString, options: `-c search_path=${schema},pg_catalog`, allowExitOnIdle: true });
  await pool.query(
    `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.clock (now bigint NOT NULL); INSERT INTO ${schema}.clock VALUES (${clock.now()})`,
  );
  for (const name of ['clock_timestamp', 'statement_timestamp'])
    await pool.query(
      `CREATE FUNCTION ${schema}.${name}() RETURNS timestamptz LANGUAGE sql AS 'SELECT to_timestamp((now + 0.5) / 1000) FROM ${schema}.clock'`,
    );
  return { pool, setTime: () => pool.query(`UPDATE ${schema}.clock SET now = ${clock.now()}`) };
}

it('PostgreSQL answers as the rules in TypeScript, over random rows', { timeout: 300_000 }, async () => {
  const clock = new FakeClock();
  const { pool, setTime } = await poolWithClock(clock);
  const store = await postgresStore({ database: pool, schema: newSchema() });
  await sameRules(store, clock, { numRuns: 150, setTime, blocksAtClaims: true });
  await store.close?.();
  await pool.end();
});

it('a SQLite file answers as the rules in TypeScript, over many random rows', { timeout: 300_000 }, async () => {
  const clock = new FakeClock();
  const store = await openStore(newFile(), { clock: clock.withRealTimers });
  await sameRules(store, clock, { numRuns: 200 });
  await store.close?.();
});
