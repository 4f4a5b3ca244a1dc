// The runtimes that the package is tried in: where npm puts each, and how it is told to run `main.js` or the worker.
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {string} folder of its package in `node_modules`
 * @property {string} program in that folder
 * @property {readonly string[]} args
 * @property {string} shows what it prints once all has run
 */

/** @param {number} major @returns {Runtime} */
const nodeJs = (major) => ({
  name: `Node.js ${major}`,
  folder: `node-${major}`,
  program: 'bin/node',
  args: ['--throw-deprecation', 'main.js'],
  shows: 'all held',
});

/** @type {readonly Runtime[]} */
export const RUNTIMES = [
  nodeJs(20),
  nodeJs(22),
  nodeJs(24),
  nodeJs(26),
  {
    name: 'Deno',
    folder: '@deno/linux-x64-glibc',
    program: 'deno',
    // What is not allowed here is refused: no network but this machine, no variables but the package's own, no file outside of the project.
    args: ['run', '--no-prompt', '--no-remote', '--cached-only', '--allow-env=LOCATION_SDK_*', '--allow-net=127.0.0.1', '--allow-read=.', 'main.js'],
    shows: 'all held',
  },
  { name: 'Bun', folder: '@oven/bun-linux-x64-baseline', program: 'bin/bun', args: ['run', '--no-install', 'main.js'], shows: 'all held' },
  { name: 'workerd', folder: '@cloudflare/workerd-linux-64', program: 'bin/workerd', args: ['test', 'worker.capnp'], shows: '[ PASS ]' },
];

const here = fileURLToPath(new URL('.', import.meta.url));

/** @param {Runtime} runtime */
export const programOf = ({ folder, program }) => `${here}node_modules/${folder}/${program}`;

/** @param {Runtime} runtime */
export const manifestOf = ({ folder }) => `${here}node_modules/${folder}/package.json`;
