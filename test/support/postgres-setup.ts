import type { TestProject } from 'vitest/node';
import { startPgBouncer } from './pgbouncer.js';
import { startPostgres } from './postgres-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a PostgreSQL, with a role that may do anything. Each test uses its own schema. */
    postgresUrl: string;
    /** The address of the same server without the pooler in front of it. */
    directPostgresUrl: string;
  }
}

/**
 * Starts one PostgreSQL for all tests that need it, and ends it after them. With PGBOUNCER, the path of that program,
 * they reach it through PgBouncer in transaction mode, which needs a server of POSTGRES_BIN.
 */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // Each worker of vitest has a pool of 24, and its tests have pools and processes of their own.
  const server = await startPostgres({ flags: ['-c', 'max_connections=300'] });
  const { PGBOUNCER } = process.env;
  const pooler = PGBOUNCER ? await startPgBouncer(PGBOUNCER, server.url) : undefined;
  provide('postgresUrl', pooler?.url ?? server.url);
  provide('directPostgresUrl', server.url);
  return async () => {
    await pooler?.stop();
    await server.stop();
  };
}
