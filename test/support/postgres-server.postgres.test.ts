// @module-tag slow: needs PostgreSQL.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const server = new URL('postgres-server.js', import.meta.url).href;

/** Runs a script in a separate process. */
const run = (script: string) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });

it('a process that used a PostgreSQL server ends with its own exit code', () => {
  const { status, stderr } = run(`
    const { startPostgres } = await import(${JSON.stringify(server)});
    const { stop } = await startPostgres();
    await stop();
    process.exitCode = 3;
  `);
  expect([status, stderr]).toEqual([3, '']);
});
