// @module-tag slow: needs PostgreSQL.
import { expect, inject, it } from 'vitest';
import { newSchema, openStore, pool } from '../outbox/stores/postgres/world.js';
import { copyOf, newFile, openStore as openSqlite } from '../outbox/stores/sqlite/files.js';
import { runCli } from '../support/cli-in-process.js';
import {
  fill,
  PLAYER,
  type Place,
  REASON,
  testErasureBesideReopening,
  testErasureBesideReplacement,
  testKilledErasure,
  testPlayer,
} from './player.js';

const newPlace = async (): Promise<Place> => {
  const schema = newSchema();
  return {
    words: [inject('postgresUrl'), '--schema', schema],
    open: () => openStore({ schema }),
    bytes: async () => {
      for (const sql of [`VACUUM FULL ${schema}.reports`, 'CHECKPOINT']) await pool.query(sql);
      const { rows } = await pool.query<{ bytes: Buffer }>(
        `SELECT pg_read_binary_file(pg_relation_filepath(c.oid)) AS bytes FROM pg_class AS c
          WHERE c.oid = '${schema}.reports'::regclass OR c.oid = (SELECT t.reltoastrelid FROM pg_class AS t WHERE t.oid = '${schema}.reports'::regclass)
            OR c.relnamespace = '${schema}'::regnamespace AND c.relkind = 'r'`,
      );
      return rows.map(({ bytes }) => bytes.toString('latin1')).join('\n');
    },
  };
};

testPlayer(newPlace);
testKilledErasure(newPlace);
testErasureBesideReopening(newPlace);
testErasureBesideReplacement(newPlace);

it('an erased file moves to PostgreSQL, and stays erased', async () => {
  const [file, schema] = [newFile(), newSchema()];
  const from = await openSqlite(file);
  await fill(from);
  const url = inject('postgresUrl');
  expect((await runCli(['outbox', file, 'player', PLAYER, '--erase', '--reason', REASON])).code).toBe(0);
  const rows = (await from.list({ limit: 100 })).map(({ id, body, excerpt }) => ({ id, body, excerpt }));
  await from.close?.();
  expect(await runCli(['outbox', copyOf(file), 'move', '--to', url, '--schema', schema])).toMatchObject({ code: 0 });
  const store = await openStore({ schema });
  expect(await store.list({ limit: 100 })).toMatchObject(rows);
  const shown = await runCli(['outbox', url, 'show', 'default:staging:reportBetEvent:B-1', '--schema', schema]);
  expect(shown.out).toMatch(/body +erased, /);
  const { out } = await runCli(['outbox', url, 'player', PLAYER, '--json', '--schema', schema]);
  expect(JSON.parse(out)).toMatchObject({ erasable: 0, open: 2, unreadable: 0 });
});
