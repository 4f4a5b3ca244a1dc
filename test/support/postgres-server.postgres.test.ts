// @module-tag slow: needs PostgreSQL.
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { expect, it } from 'vitest';

const server = new URL('postgres-server.js', import.meta.url).href;

/** Runs a script in a separate process. */
const run = (script: string) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });

const isThere = (port: number) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

it('a process that used a PostgreSQL server ends with its own exit code', () => {
  const { status, stderr } = run(`
    const { startPostgres } = await import(${JSON.stringify(server)});
    const { stop } = await startPostgres();
    await stop();
    process.exitCode = 3;
  `);
  expect([status, stderr]).toEqual([3, '']);
});

it('a process that ends early leaves no running server', async () => {
  const { status, stdout } = run(`
    const { startPostgres } = await import(${JSON.stringify(server)});
    const { port } = await startPostgres();
    console.log(port);
    process.exit(4);
  `);
  expect(status).toBe(4);
  await expect.poll(() => isThere(Number(stdout)), { timeout: 10_000 }).toBe(false);
});
