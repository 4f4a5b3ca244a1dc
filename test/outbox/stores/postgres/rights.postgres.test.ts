// @module-tag slow: needs PostgreSQL.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import type { StoreError } from '../../../../src/core/errors/store-error.js';
import { postgresMigrations, postgresStore } from '../../../../src/entries/outbox-postgres.js';
import { grantsFor } from '../../../../src/outbox/stores/postgres/failure.js';
import { claim, newRow } from '../../contract/harness.js';
import { newSchema, openStore, pool } from './world.js';

/** A role that may log in, and a pool of its connections. */
async function roleOf(name: string): Promise<{ role: string; database: pg.Pool }> {
  await pool.query(`CREATE ROLE ${name} LOGIN PASSWORD 'app'`);
  const address = new URL(inject('postgresUrl'));
  Object.assign(address, { username: name, password: 'app' });
  return { role: name, database: new pg.Pool({ connectionString: address.href, max: 2, allowExitOnIdle: true }) };
}

/** A schema with tables and a role that has the rights of the guide. */
async function world(grant = true) {
  const schema = newSchema();
  await pool.query(postgresMigrations({ schema }));
  const { role, database } = await roleOf(`${schema}_app`);
  if (grant) await pool.query(grantsFor(schema, role).join(' '));
  const open = () => postgresStore({ database, schema, migrate: false });
  return { schema, role, database, open };
}

const rejection = (promise: Promise<unknown>): Promise<StoreError> =>
  promise.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error) => error,
  );

/** Runs the statements that a message names, as the owner. */
async function obey(message: string): Promise<void> {
  const statements = message.match(/(?:GRANT|ALTER|CREATE) [^;]+;/g) ?? [];
  expect(statements).not.toEqual([]);
  await pool.query(statements.join(' '));
}

describe('a role without a right that it needs', () => {
  it.each([
    ['the schema', 'USAGE ON SCHEMA :s'],
    ['the sequences', 'USAGE ON ALL SEQUENCES IN SCHEMA :s'],
    ['a table, to read', 'SELECT ON :s.unlogged'],
    ['the table of the version', 'SELECT ON :s.meta'],
    ['a table, to write', 'DELETE ON :s.queue'],
  ])('on %s is told at the start, with the statements that help', async (_, right) => {
    const { schema, role, open } = await world();
    await pool.query(`REVOKE ${right.replace(':s', schema)} FROM ${role}`);
    const error = await rejection(open());
    expect([error.code, error.message]).toEqual(['privileges', expect.stringContaining(`TO ${role};`)]);
    await obey(error.message);
    const store = await open();
    await store.enqueue([newRow('B-1')]);
    expect(await claim(store)).toHaveLength(1);
  });

  it('on functions, since default privileges take it from PUBLIC, is told at the start', async () => {
    const { role: owner, database: asOwner } = await roleOf(`${newSchema()}_owner`);
    const { rows } = await pool.query('SELECT quote_ident(current_database()) AS name');
    await pool.query(`GRANT CREATE ON DATABASE ${rows[0].name} TO ${owner}`);
    for (const kind of ['FUNCTIONS', 'TYPES'])
      await pool.query(`ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} REVOKE ALL ON ${kind} FROM PUBLIC`);
    const schema = newSchema();
    await asOwner.query(postgresMigrations({ schema }));
    const { role, database } = await roleOf(`${schema}_app`);
    const grants = grantsFor(schema, role);
    await pool.query(grants.slice(0, 3).join(' '));
    const error = await rejection(postgresStore({ database, schema, migrate: false }));
    expect([error.code, error.message]).toEqual(['privileges', expect.stringContaining(`GRANT EXECUTE ON ALL`)]);
    await obey(error.message);
    const store = await postgresStore({ database, schema, migrate: false });
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    const [row] = await claim(store);
    expect(row?.reference).toBe('B-1');
    expect((await store.counts()).states.waiting).toBe(0);
  });

  it('may read only, for a look at the outbox', async () => {
    const { schema, role, open } = await world(false);
    await pool.query(
      `GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
    expect((await (await open()).counts()).states.waiting).toBe(0);
  });

  it('to make the tables is told what the owner runs', async () => {
    const schema = newSchema();
    const { role, database } = await roleOf(`${schema}_app`);
    const { code, message } = await rejection(postgresStore({ database, schema }));
    expect(code).toBe('privileges');
    expect(message).toContain(`npx location-sdk outbox "$DATABASE_URL" migrate --schema ${schema}`);
    await pool.query(`CREATE SCHEMA ${schema}; GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    const second = await rejection(postgresStore({ database, schema }));
    expect(second.message).toBe(message);
    await pool.query(postgresMigrations({ schema }) + grantsFor(schema, role).join(' '));
    await (await postgresStore({ database, schema })).enqueue([newRow('B-1')]);
  });
});

describe('row-level security', () => {
  const protect = async (schema: string, more = '') => {
    const { rows } = await pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
    for (const { tablename } of rows)
      await pool.query(
        `ALTER TABLE ${schema}.${tablename} ENABLE ROW LEVEL SECURITY ${more.replaceAll(':t', `${schema}.${tablename}`)}`,
      );
  };

  it('is told at the start, not shown as an empty or older outbox', async () => {
    const { schema, open } = await world();
    await (await open()).enqueue([newRow('B-1')]);
    await protect(schema);
    const error = await rejection(open());
    expect([error.code, error.message]).toEqual([
      'privileges',
      expect.stringContaining(`ALTER TABLE ${schema}.queue DISABLE ROW LEVEL SECURITY;`),
    ]);
    await obey(error.message);
    expect(await claim(await open())).toHaveLength(1);
  });

  it('of a single table is told, too, and that of an owner who is bound by it', async () => {
    const { schema, role, open } = await world();
    await pool.query(`ALTER TABLE ${schema}.tally ENABLE ROW LEVEL SECURITY`);
    expect((await rejection(open())).message).toContain(`run: ALTER TABLE ${schema}.tally DISABLE`);
    await pool.query(`ALTER TABLE ${schema}.tally OWNER TO ${role}`);
    await open();
    await pool.query(`ALTER TABLE ${schema}.tally FORCE ROW LEVEL SECURITY`);
    expect((await rejection(open())).code).toBe('privileges');
  });

  it('with a policy that allows the role everything hides nothing', async () => {
    const { schema, role, open } = await world();
    await protect(schema, `; CREATE POLICY outbox ON :t TO ${role} USING (true)`);
    const store = await open();
    await store.enqueue([newRow('B-1')]);
    expect(await claim(store)).toHaveLength(1);
    await pool.query(`CREATE POLICY few ON ${schema}.queue AS RESTRICTIVE USING (sequence > 5)`);
    expect((await rejection(open())).message).toContain(`run: ALTER TABLE ${schema}.queue DISABLE`);
  });

  it('that begins while a worker runs is an error of its next turn', async () => {
    const { schema, open } = await world();
    const store = await open();
    await store.enqueue([newRow('B-1')]);
    await protect(schema);
    await expect(store.enqueue([newRow('B-2')])).rejects.toMatchObject({ code: 'privileges' });
  });
});

describe('a schema after a restore', () => {
  it('under another name is refused, since its functions write to the first one', async () => {
    const schema = newSchema();
    await (await openStore({ schema })).enqueue([newRow('B-1')]);
    const renamed = newSchema();
    await pool.query(`ALTER SCHEMA ${schema} RENAME TO ${renamed}`);
    const error = await rejection(openStore({ schema: renamed }));
    expect([error.code, error.message]).toEqual([
      'missing',
      expect.stringContaining(`ALTER SCHEMA ${renamed} RENAME TO ${schema};`),
    ]);
    await obey(error.message);
    expect(await claim(await openStore({ schema }))).toHaveLength(1);
  });

  it('without its functions is refused, with their names', async () => {
    const schema = newSchema();
    await openStore({ schema });
    await pool.query(`DROP FUNCTION ${schema}.turn`);
    const error = await rejection(openStore({ schema }));
    expect([error.code, error.message]).toEqual(['missing', expect.stringContaining('it lacks turn.')]);
  });
});

const { POSTGRES_BIN } = process.env;
const dump = POSTGRES_BIN === undefined ? '' : join(POSTGRES_BIN, 'pg_dump');

// The server from npm has no pg_dump; that of Debian has.
describe.skipIf(!existsSync(dump))('a dump that is restored without privileges, by another owner', () => {
  it('names the statements that give the role its rights, and goes on', async () => {
    const { schema, role, open } = await world();
    await (await open()).enqueue([newRow('B-1'), newRow('B-2')]);
    const address = new URL(inject('directPostgresUrl'));
    const plain = spawnSync(dump, ['--no-owner', '--no-privileges', '--schema', schema, address.href], {
      encoding: 'utf8',
    });
    expect(plain.stderr).toBe('');
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    const restored = spawnSync(join(POSTGRES_BIN ?? '', 'psql'), ['-q', '-v', 'ON_ERROR_STOP=1', address.href], {
      encoding: 'utf8',
      input: plain.stdout,
    });
    expect([restored.status, restored.stderr]).toEqual([0, '']);
    const error = await rejection(open());
    expect([error.code, error.message]).toEqual(['privileges', expect.stringContaining(`TO ${role};`)]);
    await obey(error.message);
    const store = await open();
    expect((await store.enqueue([newRow('B-2'), newRow('B-3')])).map(({ added }) => added)).toEqual([false, true]);
    expect((await claim(store)).map(({ reference }) => reference)).toEqual(['B-1', 'B-2', 'B-3']);
  });
});

describe('a server', () => {
  it('without MD5, as FIPS has it, is enough', async () => {
    const name = newSchema();
    await pool.query(`CREATE DATABASE ${name}`);
    const address = new URL(inject('directPostgresUrl'));
    address.pathname = name;
    const own = new pg.Pool({ connectionString: address.href, max: 2, allowExitOnIdle: true });
    // A function with the number of a built-in one would be that one.
    await own.query(`ALTER FUNCTION pg_catalog.md5(text) RENAME TO md5_of_other_servers;
      CREATE FUNCTION pg_catalog.md5(text) RETURNS text LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not compute MD5 hash: unsupported' USING ERRCODE = 'XX000'; END $$`);
    await expect(own.query("SELECT md5('')")).rejects.toMatchObject({ code: 'XX000' });
    const store = await postgresStore({ database: own });
    await store.enqueue([newRow('B-1')]);
    expect(await claim(store)).toHaveLength(1);
    await own.end();
  });

  it('that is too old is refused, with both versions', async () => {
    const old = {
      async query(text: string, values: (string | null)[]) {
        const { rows } = await pool.query(text, values);
        const found = JSON.parse(rows[0].found);
        return { rows: [{ found: JSON.stringify({ ...found, server: '12.22', number: 120_022 }) }] };
      },
    };
    const { code, message } = await rejection(postgresStore({ database: old, schema: newSchema() }));
    expect([code, message]).toEqual(['version', expect.stringMatching(/needs PostgreSQL 13 or newer.*it is 12\.22/)]);
  });
});
