// The libraries that the guide to PostgreSQL names, and the contract of the store on the servers that are promised beside
// the one of `npm test`: `node test/postgres/run.js`. All of them come from npm into this folder (650 MB, once), for Linux
// x64.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const packages = join(import.meta.dirname, 'node_modules');
const { optionalDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
const servers = Object.keys(optionalDependencies);
/** The suites of statements, rights and the errors about them, which differ between the servers. */
const SUITES = ['contract', 'rights'].map((name) => `test/outbox/stores/postgres/${name}.postgres.test.ts`);

/** @param {string} title @param {string} command @param {string[]} given @param {Record<string, string>} [env] */
async function run(title, command, given, env = {}) {
  const began = performance.now();
  const child = spawn(command, given, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const seconds = Math.round((performance.now() - began) / 1_000);
  if (code !== 0) {
    console.log(`${said}\n== ${title}: FAILED in ${seconds} s`);
    process.exit(1);
  }
  console.log(`== ${title}: passed in ${seconds} s`);
}

/** Makes the links that the install script of the servers makes. @param {string} server */
function completeLibraries(server) {
  const folder = join(packages, server);
  for (const { source, target } of JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')))
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target));
  return join(folder, 'native/bin');
}

const node = process.execPath;
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const installed = spawnSync('npm', ['ci', '--prefix', import.meta.dirname], { cwd: root, stdio: 'inherit' });
if (installed.status !== 0) process.exit(1);

// The engine of the schema is needed for no client, and does not come from npm.
const prisma = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' };
const schema = join(import.meta.dirname, 'schema.prisma');
await run(
  'the client of Prisma',
  node,
  [join(packages, 'prisma/build/index.js'), 'generate', '--schema', schema],
  prisma,
);
await run('the types of the libraries', node, [
  join(root, 'node_modules/typescript/bin/tsc'),
  ...['--noEmit', '-p', import.meta.dirname],
]);
await run('the libraries', node, [vitest, 'run', '--config', 'test/postgres/vitest.config.js']);

/** Two servers at a time, since the tests mostly wait. */
const waiting = [...servers];
async function nextServer() {
  for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
    const bin = completeLibraries(server);
    await run(server, node, [vitest, 'run', '--project', 'postgres', '--maxWorkers=2', ...SUITES], {
      POSTGRES_BIN: bin,
    });
  }
}
await Promise.all([nextServer(), nextServer()]);
