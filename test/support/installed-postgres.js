// A PostgreSQL that is installed on the machine, for example Debian's: older than the one from npm, and with JIT.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

export const USER = 'postgres';
export const PASSWORD = 'outbox';

/**
 * The user that runs the programs: they refuse root.
 *
 * @returns {{ uid?: number, gid?: number }}
 */
export function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, USER], { encoding: 'utf8' }).stdout || Number.NaN),
  );
  if (!uid || !gid) throw new Error(`There is no user ${USER} to run PostgreSQL as.`);
  return { uid, gid };
}

/** A folder of that user. @param {string} name */
export function ownFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), name));
  const { uid, gid } = unprivileged();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/**
 * Starts a program that runs until it is ended.
 *
 * @param {string} command
 * @param {readonly string[]} given
 * @param {{ ready: string, said: string[] }} watched `ready`: the line that it prints once it can be used.
 * @returns {Promise<import('node:child_process').ChildProcess>}
 */
export function startProgram(command, given, { ready, said }) {
  const child = spawn(command, given, { ...unprivileged(), stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let printed = '';
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${command} did not start: ${printed}`)));
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      said.push(text);
      if (!printed.includes(ready)) printed += text;
      if (printed.includes(ready)) resolve(child);
    });
  });
}

/** @param {import('node:child_process').ChildProcess | undefined} child @param {NodeJS.Signals} signal */
export async function endProgram(child, signal) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

/**
 * Starts a separate server on a free port, with the settings that its package gives it.
 *
 * @param {string} bin The folder of `initdb` and `postgres`.
 * @param {{ fsync: boolean, flags: readonly string[] }} options
 * @returns {Promise<import('./postgres-server.js').PostgresServer>}
 */
export async function startInstalledPostgres(bin, { fsync, flags }) {
  const folder = ownFolder('location-sdk-postgres-');
  const data = join(folder, 'data');
  const port = await freePort();
  /** @type {string[]} */
  const said = [];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  const settings = [
    `port=${port}`,
    `fsync=${fsync ? 'on' : 'off'}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
  ];
  const start = async () => {
    const given = ['-D', data, ...settings.flatMap((setting) => ['-c', setting]), ...flags];
    child = await startProgram(join(bin, 'postgres'), given, { ready: 'ready to accept connections', said });
  };
  const stop = async () => {
    await endProgram(child, 'SIGINT');
    rmSync(folder, { recursive: true, force: true });
  };
  // For a process that is ended early.
  process.once('exit', () => {
    child?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  const password = join(folder, 'password');
  writeFileSync(password, PASSWORD, { mode: 0o644 });
  const initdb = [
    '-D',
    data,
    '-U',
    USER,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    ...(fsync ? [] : ['--no-sync']),
  ];
  const { status, stderr } = spawnSync(join(bin, 'initdb'), initdb, { ...unprivileged(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  await start();
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    port,
    folder,
    get log() {
      return said.join('');
    },
    halt: (signal = 'SIGINT') => endProgram(child, signal),
    start,
    stop,
  };
}
