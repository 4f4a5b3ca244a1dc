// @module-tag slow: needs PostgreSQL.
import { inspect } from 'node:util';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { StoreError } from '../../../../src/core/errors/store-error.js';
import { ConfigurationError } from '../../../../src/entries/index.js';
import { type PostgresDatabase, postgresMigrations, postgresStore } from '../../../../src/entries/outbox-postgres.js';
import { claimed, type Row } from '../../../../src/outbox/rules/state-machine.js';
import { grantsFor } from '../../../../src/outbox/stores/postgres/failure.js';
import { startPostgres } from '../../../support/postgres-server.js';
import { change, claim, newRow, write } from '../../contract/harness.js';
import { CANARIES, leaksIn } from '../../personal.js';
import { directUrl, FIRST_PAUSE, newSchema, openStore, pool } from './world.js';

const rejection = (promise: Promise<unknown>): Promise<StoreError> =>
  promise.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error) => error,
  );

/** A pool whose connections have their own role or settings. */
async function withPool<T>(config: pg.PoolConfig, use: (own: pg.Pool) => Promise<T>): Promise<T> {
  const own = new pg.Pool({ connectionString: inject('postgresUrl'), max: 4, ...config });
  // The server may end a connection that is still closing.
  own.on('error', () => {});
  try {
    return await use(own);
  } finally {
    await own.end();
  }
}

describe('a connection that fails', () => {
  const server = () => new URL(directUrl('a pooler answers in place of the server'));
  const opened = (config: pg.PoolConfig) =>
    withPool(config, (database) => rejection(postgresStore({ database, schema: newSchema() })));
  const to = (change: Partial<URL>) => ({
    connectionString: Object.assign(server(), change).href,
  });

  it('to a database that does not exist names the server and the database', async () => {
    const { code, message } = await opened(to({ pathname: '/no_such_bets' }));
    expect({ code, message }).toEqual({
      code: 'connection',
      message: expect.stringContaining(
        `does not exist: the server ${server().host} was reached, and has no database no_such_bets. Create it, or correct its name in the connection. Nothing was enqueued (3D000).`,
      ),
    });
  });

  it('for its role names the server, and not the password', async () => {
    const { code, message } = await opened(to({ username: 'no_such_role', password: 'pw-canary' }));
    expect({ code, message }).toEqual({
      code: 'connection',
      message: expect.stringContaining(`refused the login: the server ${server().host} was reached`),
    });
    expect(message).not.toContain('canary');
  });

  it('since no server is there names the address', async () => {
    const { message } = await opened({ connectionString: 'postgres://app:pw-canary@127.0.0.1:9/bets' });
    expect(message).toContain('cannot be reached at 127.0.0.1:9 (database bets)');
    expect(message).not.toContain('canary');
  });
});

describe('the tables', () => {
  it('are made once by many instances that start at once', async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 12 }, () => openStore({ schema })));
    await Promise.all(stores.map((store, index) => store.enqueue([newRow(`B-${index}`)])));
    expect(await stores[0]?.list({ limit: 20 })).toHaveLength(12);
  });

  it('can be made by a separate role, with the SQL of postgresMigrations', async () => {
    const schema = newSchema();
    const role = `${schema}_app`;
    await expect(openStore({ schema, migrate: false })).rejects.toMatchObject({ code: 'missing' });
    for (let times = 0; times < 2; times += 1) await pool.query(postgresMigrations({ schema }));
    await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'app'; ${grantsFor(schema, role).join(' ')}`);
    const address = new URL(inject('postgresUrl'));
    address.username = role;
    address.password = 'app';
    await withPool({ connectionString: address.href }, async (own) => {
      const store = await postgresStore({ database: own, schema, migrate: false });
      await store.enqueue([newRow('B-1')]);
      await store.enqueue([newRow('B-2'), newRow('B-3')]);
      expect(await claim(store)).toHaveLength(3);
      await expect(postgresStore({ database: own, schema: newSchema() })).rejects.toMatchObject({
        code: 'privileges',
        sqlState: '42501',
      });
    });
  });

  it('of a newer version are not changed', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-1')]);
    await pool.query(`UPDATE ${schema}.meta SET version = 99`);
    const error = await rejection(openStore({ schema }));
    expect([error.code, error.message]).toEqual(['newer', expect.stringContaining('version is 99')]);
    await expect(pool.query(postgresMigrations({ schema }))).rejects.toMatchObject({ code: 'LS002' });
    expect((await pool.query(`SELECT version FROM ${schema}.meta`)).rows).toEqual([{ version: 99 }]);
  });

  it('are refused in a schema of an older version, and not changed', async () => {
    const schema = newSchema();
    await pool.query(
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.meta (version integer NOT NULL); INSERT INTO ${schema}.meta VALUES (1)`,
    );
    const error = await rejection(openStore({ schema }));
    expect([error.code, error.message]).toEqual(['older', expect.stringContaining('version is 1')]);
    await expect(pool.query(postgresMigrations({ schema }))).rejects.toMatchObject({ code: 'LS002' });
    const { rows } = await pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
    expect(rows).toEqual([{ tablename: 'meta' }]);
  });

  it.each([['Public'], ['pg_x'], ['information_schema'], ['user'], ['order'], ['a-b'], ['x"; DROP TABLE y; --'], ['']])(
    'cannot be in the schema %j',
    async (schema) => {
      await expect(openStore({ schema })).rejects.toThrow(ConfigurationError);
    },
  );

  it('that change have settings of autovacuum', async () => {
    const schema = newSchema();
    await openStore({ schema });
    const { rows } = await pool.query(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND reloptions::text LIKE '%autovacuum_vacuum_%'",
      [schema],
    );
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['reports', 'queue', 'unlogged', 'tally']));
  });

  it('show a dashboard the state of the outbox', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    await store.enqueue([newRow('B-1', { account: 'brandB', gateway: 'https://brand-b.example.com' })]);
    await store.pause({
      account: 'default',
      environment: 'staging',
      version: 0,
      reason: 'rate-limited',
      message: 'HTTP 429',
      strikes: 1,
      forMs: 5_000,
      continues: false,
      repeats: false,
    });
    const { rows } = await pool.query(`SELECT * FROM ${schema}.stats ORDER BY account`);
    const others = {
      blocked: '0',
      in_flight: '0',
      recorded: '0',
      oldest_open_at: expect.any(Date),
      without_receipt: '0',
    };
    expect(rows).toMatchObject([
      { account: 'brandB', waiting: '1', ...others },
      { account: 'default', waiting: '2', ...others },
    ]);
    expect((await pool.query(`SELECT account, environment, reason FROM ${schema}.paused`)).rows).toEqual([
      { account: 'default', environment: 'staging', reason: 'rate-limited' },
    ]);
  });

  it('have only types of PostgreSQL itself: a table that is made of one outlives the schema', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-1')]);
    await store.pause(FIRST_PAUSE);
    for (const view of ['stats', 'paused'])
      await pool.query(`CREATE TABLE ${schema}_${view} AS SELECT * FROM ${schema}.${view}`);
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    expect((await pool.query(`SELECT * FROM ${schema}_stats`)).rows).toMatchObject([{ waiting: '1', attempts: '0' }]);
    expect((await pool.query(`SELECT * FROM ${schema}_paused`)).rows).toMatchObject([
      { strikes: 1, reason: 'unavailable', until: expect.any(Date) },
    ]);
    await pool.query(`DROP TABLE ${schema}_stats, ${schema}_paused`);
  });
});

describe('a problem of the database', () => {
  it('is reported if its isolation level is not supported', async () => {
    await withPool(
      {
        connectionString: directUrl('a setting of the session'),
        options: '-c default_transaction_isolation=serializable',
      },
      async (own) => {
        await expect(postgresStore({ database: own, schema: newSchema() })).rejects.toMatchObject({
          code: 'isolation',
        });
      },
    );
  });

  it('is reported if the session may not write', async () => {
    await withPool(
      { connectionString: directUrl('a setting of the session'), options: '-c default_transaction_read_only=on' },
      async (own) => {
        await expect(postgresStore({ database: own, schema: newSchema() })).rejects.toMatchObject({
          code: 'read-only',
          sqlState: '25006',
        });
      },
    );
  });

  it('is reported if its encoding is not UTF8', async () => {
    const name = newSchema();
    await pool.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    const address = new URL(inject('postgresUrl'));
    address.pathname = name;
    await withPool({ connectionString: address.href }, async (own) => {
      const error = await rejection(postgresStore({ database: own }));
      expect([error.code, error.message]).toEqual([
        'encoding',
        expect.stringMatching(/must have the encoding UTF8.*it has LATIN1/),
      ]);
      expect((await own.query("SELECT 1 FROM pg_namespace WHERE nspname = 'location_sdk'")).rows).toEqual([]);
    });
    // A pooler keeps connections to it open.
    await pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  it('is reported without data of a report', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const body = CANARIES.join(' ');
    await pool.query(`ALTER TABLE ${schema}.reports ADD CONSTRAINT short CHECK (length(body) < 10)`);
    const direct = await pool
      .query(
        `INSERT INTO ${schema}.reports (id, environment, operation, reference, fingerprint, body) VALUES ('a', 'b', 'c', 'd', 'e', $1)`,
        [body],
      )
      .catch((error) => error);
    expect(leaksIn(inspect(direct, { depth: 9 })).length).toBeGreaterThan(0);
    for (const rows of [[newRow('B-1', { body })], [newRow('B-1', { body }), newRow('B-2', { body })]]) {
      const error = await rejection(store.enqueue(rows));
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ code: 'other', sqlState: '23514' });
      expect(leaksIn(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + error.stack)).toEqual([]);
    }
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  it.each([
    ['a NUL', 'B\0'],
    ['half a surrogate pair', 'B\ud800'],
  ])('is reported for text with %s', async (_, text) => {
    const store = await openStore();
    for (const rows of [[newRow(text)], [newRow('B-1'), newRow(text)]])
      await expect(store.enqueue(rows)).rejects.toMatchObject({ code: 'text' });
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  it("does not stop the end of a report: unstorable characters in the gateway's message are replaced", async () => {
    const store = await openStore();
    await store.enqueue([newRow('B-1')]);
    const [row] = await claim(store);
    if (!row) throw new Error('a row to claim: expected one');
    const problem = {
      code: 'unprocessable',
      message: 'HTTP 422',
      details: [{ 'N\0': 'N\0', '\udc00': { '\ud800': '\\ud800' }, '\\u0000': '\u{1f600}' }],
    } as const;
    const change = {
      ...row,
      state: 'quarantined',
      delayMs: 0.4,
      keepBody: true,
      message: 'N\0 and \udc00 \\u0000',
      problem,
    } as const;
    expect((await store.turn({ writes: [{ id: row.id, expected: row, change }], claim: undefined })).written).toEqual([
      true,
    ]);
    const [written] = await store.get([row.id]);
    expect(written?.message).toBe('N\ufffd and \ufffd \\u0000');
    expect(written?.problem?.details).toEqual([
      { 'N\ufffd': 'N\ufffd', '\ufffd': { '\ufffd': '\\ud800' }, '\\u0000': '\u{1f600}' },
    ]);
  });

  it('is retried if a statement was rolled back because of another one', async () => {
    let failures = 2;
    const database: PostgresDatabase = {
      query: async (text, values) => {
        if (text.includes('.turn(') && failures > 0) {
          failures -= 1;
          throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
        }
        return pool.query(text, values);
      },
    };
    const store = await postgresStore({ database, schema: newSchema() });
    await store.enqueue([newRow('B-1')]);
    expect(await claim(store)).toHaveLength(1);
  });

  it.each([
    ['pg, or Drizzle around it', { code: '55P03' }, 'busy'],
    ['Prisma', { code: 'P2010', meta: { code: '25P02', message: 'x' } }, 'aborted'],
    [
      'Prisma with a driver adapter',
      {
        code: 'P2010',
        meta: { driverAdapterError: { cause: { originalCode: '40001', kind: 'TransactionWriteConflict' } } },
      },
      'conflict',
    ],
    [
      'Prisma with a driver adapter and no server',
      {
        code: 'P2010',
        message: "Can't reach database server",
        meta: { driverAdapterError: { cause: { kind: 'DatabaseNotReachable' } } },
      },
      'connection',
    ],
    ['pg, after query_timeout, which gives the error no code', { message: 'Query read timeout' }, 'connection'],
    ['pg at a standby', { code: '25006' }, 'read-only'],
    ['pg, when the disk of the server is full', { code: '53100' }, 'full'],
    ['pg, when the server has no connection left', { code: '53300' }, 'full'],
  ])('is recognised by its code with every library: %s', async (_, error, code) => {
    const store = await openStore();
    const refusal = store.enqueue([newRow('B-1')], { query: async () => Promise.reject(error) });
    await expect(refusal).rejects.toMatchObject({ name: 'StoreError', code });
  });

  it('is reported after close', async () => {
    const store = await openStore();
    await store.close?.();
    await expect(store.enqueue([newRow('B-1')])).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a change in the store', () => {
  it('is one statement, so that it needs no transaction of its own', async () => {
    let statements = 0;
    const database: PostgresDatabase = {
      query: async (text, values) => {
        statements += 1;
        return pool.query(text, values);
      },
    };
    const store = await postgresStore({ database, schema: newSchema() });
    const countOf = async (make: () => Promise<unknown>) => {
      statements = 0;
      await make();
      return statements;
    };
    const rows: Row[] = [];
    const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['enqueue a report', () => store.enqueue([newRow('B-1')])],
      ['enqueue several', () => store.enqueue([newRow('B-2'), newRow('B-3')])],
      ['claim', async () => void rows.push(...(await claim(store, 1)))],
      [
        'write',
        () =>
          store.turn({
            writes: rows.map((row) => ({ id: row.id, expected: row, change: change(row) })),
            claim: undefined,
          }),
      ],
      ['pause', () => store.pause(FIRST_PAUSE)],
      ['log', () => store.receipts.append([{ index: 0, id: newRow('B-1').id, line: 'a' }])],
    ];
    for (const [name, make] of changes) expect([name, await countOf(make)]).toEqual([name, 1]);
    expect((await store.counts()).states).toMatchObject({ recorded: 1, waiting: 2 });
  });
});

describe('a server that stops', () => {
  it('causes rejections, keeps acknowledged reports, and is used again after its restart', {
    timeout: 60_000,
  }, async () => {
    const server = await startPostgres({ fsync: true });
    try {
      await withPool({ connectionString: server.url }, async (own) => {
        own.on('error', () => {});
        const store = await postgresStore({ database: own });
        await store.enqueue([newRow('B-1')]);
        await server.halt('SIGQUIT');
        const error = await rejection(store.enqueue([newRow('B-2')]));
        expect([error.name, error.code]).toEqual(['StoreError', 'connection']);
        expect(inspect(error)).not.toContain('outbox@');
        await server.start();
        await store.enqueue([newRow('B-3')]);
        expect((await claim(store)).map(({ reference }) => reference)).toEqual(['B-1', 'B-3']);
      });
    } finally {
      await server.stop();
    }
  });
});

describe('a final report that is deleted by hand', () => {
  it('is no longer known: the same reference is accepted and sent again', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    const [row] = await claim(store, 1);
    if (!row) throw new Error('a row to claim: expected one');
    await write(store, row);
    await store.receipts.append([{ index: 0, id: row.id, line: 'a' }]);
    // The queue, which workers search, holds the other one only, and the body is gone.
    expect(
      (
        await pool.query(
          `SELECT reference, body FROM ${schema}.reports LEFT JOIN ${schema}.queue AS q USING (sequence) WHERE q.sequence IS NULL`,
        )
      ).rows,
    ).toEqual([{ reference: 'B-1', body: null }]);
    expect((await store.enqueue([newRow('B-1')]))[0]?.added).toBe(false);
    const { rowCount } = await pool.query(`DELETE FROM ${schema}.reports WHERE outcome IS NOT NULL`);
    expect([rowCount, (await store.list({ limit: 9 })).map(({ reference }) => reference)]).toEqual([1, ['B-2']]);
    expect((await store.enqueue([newRow('B-1')]))[0]?.added).toBe(true);
    expect(await store.receipts.last()).toEqual({ index: 0, id: row.id, line: 'a' });
  });
});

describe('a decision in SQL', () => {
  it('is the same as in the state machine: a claim changes a row as `claimed` does', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue(Array.from({ length: 16 }, (_, index) => newRow(`B-${index}`)));
    await pool.query(`UPDATE ${schema}.queue SET state = CASE WHEN sequence % 2 = 0 THEN 'waiting' ELSE 'in-flight' END, fence = sequence,
      attempts = sequence % 5, in_doubt = sequence % 4 < 2, doubt_before = sequence % 8 < 4`);
    const before = await store.list({ limit: 20 });
    const after = new Map((await claim(store, 20)).map((row) => [row.id, row]));
    for (const row of before) expect(after.get(row.id)).toMatchObject(claimed(row));
    expect(after.size).toBe(16);
  });
});
