// @module-tag slow: needs PostgreSQL.
import { expect, it } from 'vitest';
import { readSample, versionsOf, worksOn } from '../released/released.js';
import { SCHEMA } from '../released/sample.js';
import { newSchema, openStore, pool, within } from './world.js';

interface Sample {
  readonly migration: string;
  /** The rows of each table, as JSON. */
  readonly tables: Readonly<Record<string, string>>;
  readonly sequences: readonly { readonly name: string; readonly value: string }[];
}

/** Restores a sample into a schema of its own, as a restored database has it. */
async function restore(content: string): Promise<string> {
  const schema = newSchema();
  const { migration, tables, sequences } = JSON.parse(content.replaceAll(SCHEMA, schema)) as Sample;
  await within(async (client) => {
    await client.query(migration);
    await client.query('SET LOCAL session_replication_role = replica');
    for (const [table, rows] of Object.entries(tables)) {
      await client.query(`DELETE FROM ${schema}.${table}`);
      const insert = `INSERT INTO ${schema}.${table} SELECT * FROM json_populate_recordset(NULL::${schema}.${table}, $1)`;
      await client.query(insert, [rows]);
    }
    for (const { name, value } of sequences)
      await client.query('SELECT setval($1::regclass, $2::bigint)', [`${schema}.${name}`, value]);
  });
  return schema;
}

it('there is a sample of these tables; after a change of them run test/outbox/stores/released/make.js', async () => {
  const schema = newSchema();
  await openStore({ schema });
  const { rows } = await pool.query(`SELECT version FROM ${schema}.meta`);
  expect(versionsOf('postgres')).toContain(String(rows[0]?.version));
});

it.each(versionsOf('postgres'))('a schema with the tables of version %s goes on with this build', async (version) => {
  const { content, receipts } = readSample('postgres', version);
  const store = await openStore({ schema: await restore(content.toString()), migrate: false });
  await worksOn(store, receipts);
  await store.close?.();
});
