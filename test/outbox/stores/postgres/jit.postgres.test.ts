// @module-tag slow: needs PostgreSQL.
import pg from 'pg';
import { expect, it } from 'vitest';
import { postgresStore } from '../../../../src/entries/outbox-postgres.js';
import { claim, newRow, settledRow, write } from '../../contract/harness.js';
import { directUrl, newSchema } from './world.js';

it('a server with JIT does not compile the statements of a worker, since that would take longer than the statements', async (context) => {
  const client = new pg.Client({ connectionString: directUrl('a session whose plans are watched') });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_jit_available() AS available');
    if (!rows[0].available) context.skip('the server has no JIT: test/debian-postgres.js runs this test with it');
    const store = await postgresStore({ database: client, schema: newSchema() });
    const plans: string[] = [];
    client.on('notice', ({ message = '' }) => plans.push(message));
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
      SET auto_explain.log_analyze = on; SET auto_explain.log_level = notice`);
    await store.enqueue([newRow('B-1'), settledRow('B-1'), newRow('B-2')]);
    await store.enqueue([newRow('B-3')]);
    const [row] = await claim(store, 8);
    if (!row) throw new Error('a row to claim: expected one');
    await write(store, row);
    await store.outlook();
    await store.receipts.unlogged(8);
    await store.receipts.append([{ index: 0, id: row.id, line: 'a' }]);
    await store.counts();
    await store.list({ limit: 8 });
    expect(plans.filter((plan) => plan.includes('FOR UPDATE SKIP LOCKED')).length).toBeGreaterThan(0);
    expect(plans.filter((plan) => plan.includes('JIT:'))).toEqual([]);
  } finally {
    await client.end();
  }
});
