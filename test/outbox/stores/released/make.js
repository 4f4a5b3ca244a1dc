// Keeps the content of stores of this build, so that later builds are tested with it: `node
// test/outbox/stores/released/make.js`, after a build. A sample is named after the version of its tables. Delete those
// of tables that no release had.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { DatabaseSync } from '@photostructure/sqlite';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createOutbox } from 'location-sdk/outbox';
import { postgresMigrations, postgresStore } from 'location-sdk/outbox/postgres';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { bet, ENCRYPTION, LOCATION, SCHEMA, settlement, withdrawal } from './sample.js';

/** Reports in every state, and in a pause; those of one account are sealed. @param {import('location-sdk/outbox').OutboxStore} store */
async function fill(store) {
  const options = { location: LOCATION };
  const gateway = createMockGateway();
  const client = createClient(gateway.clientOptions());
  // A failed attempt is not repeated here.
  const retry = { baseMs: 3_600_000, capMs: 3_600_000 };
  const outbox = createOutbox({ client, store, retry });
  await outbox.reportBetEvent(bet('B-recorded'), options);
  await outbox.reportWithdrawalEvent(withdrawal('W-recorded'), options);
  for (const reference of ['B-refused', 'B-dismissed']) {
    gateway.faults.add({ kind: 'status', status: 422, reference, body: { message: 'unknown resident_lga' } });
    await outbox.reportBetEvent(bet(reference), options);
  }
  await outbox.drain();
  const [dismissed] = await outbox.list({ reference: 'B-dismissed' });
  await outbox.resolve(dismissed?.id ?? '', { as: 'dismissed', reason: 'a test bet' });

  await outbox.reportBetEvent(bet('B-waiting'), options);
  await outbox.reportSettledBet(settlement('B-waiting'));
  gateway.faults.add({ kind: 'connection-reset', when: 'after', times: null });
  await outbox.drain({ timeoutMs: 2_000 });

  const gatewayB = createMockGateway();
  gatewayB.faults.add({ kind: 'status', status: 401, times: null });
  const clientB = createClient(gatewayB.clientOptions());
  const sealed = createOutbox({ account: 'brandB', client: clientB, store, retry, encryption: ENCRYPTION });
  await sealed.reportBetEvent(bet('B-sealed'), options);
  await sealed.reportWithdrawalEvent(withdrawal('W-sealed'), options);
  await sealed.drain({ timeoutMs: 2_000 });

  let receipts = '';
  for await (const line of outbox.exportReceipts()) receipts += line;
  await outbox.stop();
  await sealed.stop();
  return receipts;
}

async function ofSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-sample-'));
  try {
    const file = join(folder, 'outbox.db');
    const store = await sqliteStore({ file });
    const receipts = await fill(store);
    await store.close?.();
    const database = new DatabaseSync(file);
    const row = database.prepare("SELECT value FROM outbox_meta WHERE name = 'version'").get();
    database.close();
    return { name: 'sqlite', receipts, version: String(row?.value), content: readFileSync(file) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function ofPostgres() {
  const database = new PGlite();
  const migration = postgresMigrations({ schema: SCHEMA });
  await database.exec(migration);
  const store = await postgresStore({ database, schema: SCHEMA, migrate: false });
  const receipts = await fill(store);
  await store.close?.();
  const rowsOf = async (/** @type {string} */ sql) =>
    /** @type {Record<string, string>[]} */ ((await database.query(sql)).rows);
  /** @type {Record<string, string>} */
  const tables = {};
  for (const { name } of await rowsOf(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${SCHEMA}' ORDER BY 1`,
  )) {
    const [row] = await rowsOf(`SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${SCHEMA}.${name} AS t`);
    tables[String(name)] = row?.rows ?? '[]';
  }
  const sequences = await rowsOf(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = '${SCHEMA}' AND last_value IS NOT NULL ORDER BY 1`,
  );
  const [meta] = JSON.parse(tables.meta ?? '[]');
  await database.close();
  return {
    name: 'postgres',
    receipts,
    version: meta.version,
    content: JSON.stringify({ migration, tables, sequences }),
  };
}

for (const { name, version, receipts, content } of [await ofPostgres(), await ofSqlite()]) {
  const file = join(import.meta.dirname, `${name}-${version}`);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${file}.receipts.jsonl`, receipts);
  console.info(`Written: ${file}.gz`);
}
