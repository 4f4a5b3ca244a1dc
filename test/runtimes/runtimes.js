// The runtimes in which the package is tested: the path of each, and how it runs `main.js` or the worker.
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {string} folder of its package in `node_modules`
 * @property {string} program in that folder
 * @property {readonly string[]} args
 * @property {string} shows the line that it prints at the end
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
    // Everything else is denied: only this machine's network, the package's own variables, and files of the project.
    args: [
      'run',
      '--no-prompt',
      '--no-remote',
      '--cached-only',
      '--allow-env=LOCATION_SDK_*',
      '--allow-net=127.0.0.1',
      '--allow-read=.',
      'main.js',
    ],
    shows: 'all held',
  },
  {
    name: 'Bun',
    folder: '@oven/bun-linux-x64-baseline',
    program: 'bin/bun',
    args: ['run', '--no-install', 'main.js'],
    shows: 'all held',
  },
  {
    name: 'workerd',
    folder: '@cloudflare/workerd-linux-64',
    program: 'bin/workerd',
    args: ['test', 'worker.capnp'],
    shows: '[ PASS ]',
  },
];

const here = fileURLToPath(new URL('.', import.meta.url));

/** @param {Runtime} runtime */
export const programOf = ({ folder, program }) => `${here}node_modules/${folder}/${program}`;

/** @param {Runtime} runtime */
export const manifestOf = ({ folder }) => `${here}node_modules/${folder}/package.json`;
