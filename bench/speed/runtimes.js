import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { thisRuntime } from '../process.js';

/** The versions for which values are promised. */
const PROMISED = [20, 24];

const majorOf = (/** @type {string} */ name) => Number(/\d+/.exec(name)?.[0]);

/** @param {string} execPath @returns {Promise<import('../process.js').Runtime>} */
async function runtimeAt(execPath) {
  const { stdout } = await promisify(execFile)(execPath, ['-p', 'process.versions.node']);
  return { name: `Node.js ${stdout.trim()}`, execPath };
}

/** The running one if it has this version, else the one installed beside it. @param {number} major */
async function find(major) {
  if (majorOf(thisRuntime.name) === major) return thisRuntime;
  const installed = fileURLToPath(new URL(`../node_modules/node-${major}/bin/node`, import.meta.url));
  return existsSync(installed) ? runtimeAt(installed) : undefined;
}

/**
 * The measured versions: with `quick` this Node.js only, else those with promised values; and those that are named.
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
    /** Versions with promised values that are not installed. */
    missing: quick ? [] : PROMISED.filter((major) => !majors.includes(major)).map((major) => `Node.js ${major}`),
  };
}
