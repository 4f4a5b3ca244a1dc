import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a PostgreSQL, with a role that may do anything. Each test takes a schema of its own. */
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for all tests that need it, and ends it after them. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  provide('postgresUrl', server.url);
  return server.stop;
}
