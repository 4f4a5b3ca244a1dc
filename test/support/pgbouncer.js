// PgBouncer in transaction mode, as backends use it in front of PostgreSQL.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { endProgram, ownFolder, PASSWORD, startProgram, USER } from './installed-postgres.js';

/**
 * Starts it on a free port, in front of a server that `startInstalledPostgres` has started. Roles log in with the
 * server's own passwords.
 *
 * @param {string} command Its path.
 * @param {string} url Of the server.
 * @returns {Promise<{ url: string, port: number, stop: () => Promise<void> }>}
 */
export async function startPgBouncer(command, url) {
  const folder = ownFolder('location-sdk-pgbouncer-');
  const port = await freePort();
  const [config, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users')];
  writeFileSync(users, `"${USER}" "${PASSWORD}"\n`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    auth_type: 'scram-sha-256',
    auth_file: users,
    auth_user: USER,
    max_client_conn: 500,
    default_pool_size: 50,
    // The server may be restarted.
    server_login_retry: 1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    config,
    `[databases]\n* = host=127.0.0.1 port=${new URL(url).port}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  const child = await startProgram(command, [config], { ready: 'process up', said: [] });
  const stop = async () => {
    await endProgram(child, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  // For a process that is ended early.
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const address = new URL(url);
  address.port = String(port);
  return { url: address.href, port, stop };
}
