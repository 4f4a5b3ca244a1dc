import { PrismaPg } from '@prisma/adapter-pg';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, type EnqueuedReport } from '../../src/entries/outbox.js';
import { type PostgresDatabase, postgresMigrations, postgresStore } from '../../src/entries/outbox-postgres.js';
import { readGuides } from '../support/documents.js';
import { settledBet } from '../support/factories.js';
import { PrismaClient } from './node_modules/.prisma-client/index.js';

const url = inject('postgresUrl');
const guide = readGuides('start/backend-with-postgresql');

/** The line of the guide that runs a transaction of a library: a function of `db` and `report`. */
function recipe(library: string): (db: unknown, report: (tx: unknown) => Promise<unknown>) => Promise<unknown> {
  const [, line] = new RegExp(`^\\| (?:\\w+, )*${library}\\b.*\\| \`(.+)\` \\|$`, 'm').exec(guide) ?? [];
  if (line === undefined) throw new Error(`the guide has no recipe for ${library}`);
  return Function('db', 'report', `return ${line}`) as never;
}

const pool = new pg.Pool({ connectionString: url, max: 5 });
/** A pool whose types are read in other ways than by default. */
const typed = new pg.Pool({
  connectionString: url,
  max: 5,
  types: { getTypeParser: (oid: number) => (text: string) => (oid === 20 ? BigInt(text) : text) } as never,
});

/** How each library is connected, ended and told to run a statement of its own. */
const LIBRARIES: Record<string, () => Promise<{ library: string; db: PostgresDatabase; end: () => Promise<unknown> }>> =
  {
    postgres: async () => {
      const db = postgres(url, { onnotice: () => {} });
      return { library: 'postgres', db, end: () => db.end() };
    },
    'postgres, with other names of columns and bigint': async () => {
      const db = postgres(url, {
        onnotice: () => {},
        transform: postgres.toCamel as never,
        types: { bigint: postgres.BigInt },
      });
      return { library: 'postgres', db, end: () => db.end() };
    },
    Knex: async () => {
      const db = knex({ client: 'pg', connection: url });
      return { library: 'Knex', db, end: () => db.destroy() };
    },
    TypeORM: async () => {
      const db = await new DataSource({ type: 'postgres', url, parseInt8: true }).initialize();
      return { library: 'TypeORM', db, end: () => db.destroy() };
    },
    Kysely: async () => {
      const db = new Kysely({
        dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
        plugins: [new CamelCasePlugin()],
      });
      return { library: 'Kysely', db, end: () => db.destroy() };
    },
    Drizzle: async () => ({ library: 'Drizzle', db: drizzlePg(typed), end: async () => {} }),
    'Drizzle over postgres': async () => {
      const client = postgres(url, { onnotice: () => {} });
      return { library: 'Drizzle', db: drizzlePostgres(client), end: () => client.end() };
    },
    Prisma: async () => {
      const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
      return { library: 'Prisma', db, end: () => db.$disconnect() };
    },
  };

beforeAll(async () => {
  await pool.query('CREATE TABLE recipe_bets (id text PRIMARY KEY)');
});
afterAll(async () => {
  await pool.end();
  await typed.end();
});

let schemas = 0;

describe.each(Object.entries(LIBRARIES))('%s', (_, connect) => {
  it('is given to the store as it is, and its transaction to within: both commit, or neither', async () => {
    schemas += 1;
    const schema = `library_${schemas}`;
    const { library, db, end } = await connect();
    try {
      const gateway = createMockGateway({ requireInitiated: false });
      const client = createClient(gateway.clientOptions());
      const store = await postgresStore({ database: db, schema });
      const outbox = createOutbox({ client, store });
      const transaction = recipe(library);
      const reported: EnqueuedReport[] = [];
      const settle = (bet_id: string, fails = false) =>
        transaction(db, async (tx) => {
          reported.push(await outbox.within(tx).reportSettledBet(settledBet({ bet_id })));
          if (fails) throw new Error('the bet is void');
        });
      await settle('B-1');
      await expect(settle('B-2', true)).rejects.toThrow('the bet is void');
      await settle('B-3 $1 ? "odd" \'quoted\' :named');
      // The same again is the same report, and other data is refused before a row is written.
      await settle('B-1');
      const { rows } = await pool.query(`SELECT reference FROM ${schema}.reports ORDER BY sequence`);
      expect(rows.map(({ reference }) => reference)).toEqual(['B-1', 'B-3 $1 ? "odd" \'quoted\' :named']);
      // Outside of a transaction the report would be committed alone.
      await expect(outbox.within(db).reportSettledBet(settledBet({ bet_id: 'B-4' }))).rejects.toThrow(
        'Nothing was enqueued',
      );
      await outbox.drain();
      expect(gateway.reports()).toHaveLength(2);
      expect((await outbox.stats()).states).toMatchObject({ recorded: 2, waiting: 0 });
      // Statements that update, whose answers have another shape in some libraries.
      expect(await outbox.resume('staging')).toBe(false);
      expect(await store.getOrCreateSetting('name', 'value')).toBe('value');
      await outbox.stop();
      await store.close?.();
    } finally {
      await end();
    }
  });

  it('runs the statements of a migration, twice', async () => {
    schemas += 1;
    const { db, end } = await connect();
    try {
      for (const _ of [1, 2]) await postgresStore({ database: db, schema: `library_${schemas}` });
      await pool.query(postgresMigrations({ schema: `library_${schemas}` }));
    } finally {
      await end();
    }
  });
});
