// The tests of PostgreSQL on the distribution's server, with JIT as it sets it: those of the outbox through PgBouncer
// in transaction mode, the others directly. In parallel a short soak each way, since they mostly wait. `npm test` runs
// all of them directly on the server from npm. Installs both with apt-get if they are missing; if that fails, one line
// says why. `node test/debian-postgres.js`; `npm run build` first.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const SERVERS = '/usr/lib/postgresql';
const PGBOUNCER = '/usr/sbin/pgbouncer';
const SOAK = ['test/soak-postgres/index.js', '--reports', '200', '--kills', '2', '--restarts', '1'];
/**
 * The suites that send statements through a pooler as a backend does. The others test the command line and the
 * examples.
 */
const POOLED = 'test/outbox';

/** The folder of the newest server's programs. */
function findServer() {
  const versions = existsSync(SERVERS) ? readdirSync(SERVERS).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(SERVERS, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** Why they could not be installed. Undefined if they could. */
function install() {
  if (findServer() && existsSync(PGBOUNCER)) return undefined;
  if (process.getuid?.() !== 0) return 'they are not installed, and only root may install them';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (/** @type {string[]} */ ...given) => spawnSync('apt-get', given, { env, stdio: 'ignore' });
  if (apt('--version').error) return 'there is no apt-get';
  if (apt('update', '-qq').status !== 0) return 'apt-get update failed';
  if (apt('install', '-y', '-qq', '--no-install-recommends', 'postgresql', 'pgbouncer').status !== 0)
    return 'apt-get install postgresql pgbouncer failed';
  return findServer() && existsSync(PGBOUNCER) ? undefined : `apt-get installed nothing in ${SERVERS} and ${PGBOUNCER}`;
}

const why = install();
if (why) {
  console.log(`Not tested with the PostgreSQL and the PgBouncer of a distribution: ${why}.`);
  process.exit(0);
}

const server = { POSTGRES_BIN: findServer() };
const pooled = { ...server, PGBOUNCER };
/** With fewer workers than `npm test`, since each loads all modules again and the soak runs in parallel. */
const TESTS = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'postgres', '--maxWorkers=2'];
/** @typedef {[title: string, command: string[], env: Record<string, string | undefined>]} Part */
/** Parts that run in parallel. @type {Part[][]} */
const pairs = [
  [
    [`the tests in ${POOLED} through ${PGBOUNCER}`, [...TESTS, POOLED], pooled],
    [`a short soak with ${server.POSTGRES_BIN}`, SOAK, server],
  ],
  [
    [`the other tests with ${server.POSTGRES_BIN}`, [...TESTS, '--exclude', `${POOLED}/**`], server],
    [`a short soak through ${PGBOUNCER}`, SOAK, pooled],
  ],
];

/** Runs a part. @param {Part} part @returns {Promise<{ passed: boolean, text: string }>} */
function runPart([title, command, env]) {
  const began = performance.now();
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {Buffer[]} */
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => void said.push(piece));
  return new Promise((resolve) =>
    child.once('close', (code) => {
      const seconds = Math.round((performance.now() - began) / 1_000);
      const end = `== ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s`;
      resolve({ passed: code === 0, text: `\n== ${title}\n${Buffer.concat(said)}${end}` });
    }),
  );
}

for (const pair of pairs) {
  const ended = await Promise.all(pair.map(runPart));
  // A failed part comes last, where its reader looks first.
  for (const { text } of ended.sort((a, b) => Number(b.passed) - Number(a.passed))) console.log(text);
  if (ended.some(({ passed }) => !passed)) process.exit(1);
}
