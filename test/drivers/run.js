// Runs the tests of the SQLite store over each library that the guide names, on each Node.js for which `drivers.js` lists
// it, and sends reports with the built package: `node test/drivers/run.js`, after `npm run build`, and after
// `test/runtimes/run.js` has installed the versions of Node.js. Everything comes from npm, as `package-lock.json` has it.
// A library of which npm has no addon is compiled once for each Node.js, with a compiler of this machine.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { programOf, RUNTIMES } from '../runtimes/runtimes.js';
import { npm, readJson, run as runQuietly } from '../support/packed.js';
import { addonOf, DRIVERS, folderOf } from './drivers.js';

const here = import.meta.dirname;
const root = join(here, '../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

/** @typedef {import('./drivers.js').Driver} Driver */
/** @typedef {{ readonly program: string, readonly folder: string, readonly version: string }} Node */

/** @param {number} major @returns {Node} */
function nodeOf(major) {
  const runtime = RUNTIMES.find(({ name }) => name === `Node.js ${major}`);
  if (!runtime) throw new Error(`runtimes.js has no Node.js ${major}`);
  const program = programOf(runtime);
  const folder = dirname(dirname(program));
  return { program, folder, version: readJson(join(folder, 'package.json')).version };
}

/** Rejects unless the program ends with 0. @param {string} program @param {string[]} args @param {object} options */
const run = (program, args, options) =>
  new Promise((resolve, reject) => {
    spawn(program, args, { stdio: 'inherit', ...options })
      .once('error', reject)
      .once('close', (code) =>
        code === 0 ? resolve(undefined) : reject(new Error(`${program} ${args.join(' ')} ended with ${code}`)),
      );
  });

/**
 * Compiles the addon of a library with the headers that come with Node.js. Without optimisation, it takes a third of the
 * time, and SQLite checks its own state at each step.
 * @param {Driver} driver @param {Node} node
 */
async function compile(driver, { folder, version }) {
  const addon = addonOf(driver, version);
  if (existsSync(addon)) return;
  const cwd = folderOf(driver);
  const env = { ...process.env, npm_config_nodedir: folder };
  await runQuietly('npm', ['run', 'build-debug'], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  mkdirSync(dirname(addon), { recursive: true });
  renameSync(join(cwd, 'build/Debug/better_sqlite3.node'), addon);
  rmSync(join(cwd, 'build'), { recursive: true });
}

/** Sends reports from a project that has the built package and this library alone. @param {Driver} driver @param {Node} node */
async function sendReports(driver, { program }) {
  const project = mkdtempSync(join(tmpdir(), 'location-sdk-driver-'));
  try {
    const modules = join(project, 'node_modules');
    const own = join(modules, 'location-sdk');
    for (const name of ['dist', 'package.json']) cpSync(join(root, name), join(own, name), { recursive: true });
    symlinkSync(join(root, 'node_modules/ky'), join(modules, 'ky'));
    if (!driver.name.startsWith('node:')) {
      mkdirSync(dirname(join(modules, driver.name)), { recursive: true });
      symlinkSync(folderOf(driver), join(modules, driver.name));
    }
    cpSync(join(here, 'send-reports.js'), join(project, 'send-reports.mjs'));
    await run(program, ['send-reports.mjs', driver.name], { cwd: project });
  } finally {
    rmSync(project, { recursive: true });
  }
}

if (!existsSync(join(here, 'node_modules'))) await npm(here, 'ci');
for (const driver of DRIVERS)
  for (const major of driver.nodes) {
    const node = nodeOf(major);
    const began = performance.now();
    if (driver.isCompiled) await compile(driver, node);
    await sendReports(driver, node);
    await run(node.program, [vitest, 'run', '--project', 'unit', 'test/outbox/stores/sqlite'], {
      cwd: root,
      env: { ...process.env, SQLITE_DRIVER: driver.folder },
    });
    console.log(
      `== ${driver.folder} on Node.js ${node.version}: ${Math.round((performance.now() - began) / 1_000)} s\n`,
    );
  }
