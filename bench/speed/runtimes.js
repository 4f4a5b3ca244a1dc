import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { thisRuntime } from '../process.js';

/** The promises are made for these. */
const PROMISED = [20, 24];

const majorOf = (/** @type {string} */ name) => Number(/\d+/.exec(name)?.[0]);

/** @param {string} execPath @returns {Promise<import('../process.js').Runtime>} */
async function runtimeAt(execPath) {
  const { stdout } = await promisify(execFile)(execPath, ['-p', 'process.versions.node']);
  return { name: `Node.js ${stdout.trim()}`, execPath };
}

/** The one that runs this where it is of that version, else the one that is installed beside it. @param {number} major */
async function find(major) {
  if (majorOf(thisRuntime.name) === major) return thisRuntime;
  const installed = fileURLToPath(new URL(`../node_modules/node-${major}/bin/node`, import.meta.url));
  return existsSync(installed) ? runtimeAt(installed) : undefined;
}

/**
 * What is measured: with `quick` this Node.js alone, else those of the promises; and those that are named besides.
 *
 * @param {boolean} quick
 * @param {readonly string[]} named programs
 */
export async function findRuntimes(quick, named) {
  const promised = quick ? [thisRuntime] : await Promise.all(PROMISED.map(find));
  const found = [...promised, ...(await Promise.all(named.map(runtimeAt)))].filter((runtime) => runtime !== undefined);
  const majors = found.map(({ name }) => majorOf(name));
  return {
    runtimes: [...new Map(found.map((runtime) => [runtime.name, runtime])).values()],
    /** Promised for, and not here. */
    missing: quick ? [] : PROMISED.filter((major) => !majors.includes(major)).map((major) => `Node.js ${major}`),
  };
}
