// The tools that only these checks need.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm, readJson } from '../support/packed.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const { dependencies } = readJson(join(here, 'package.json'));

/** @param {string} name @param {string} wanted */
function isInstalled(name, wanted) {
  const manifest = join(here, 'node_modules', name, 'package.json');
  return existsSync(manifest) && readJson(manifest).version === wanted.split('@').at(-1);
}

export async function installTools() {
  if (!Object.entries(dependencies).every(([name, wanted]) => isInstalled(name, String(wanted)))) await npm(here, 'ci');
}

/** Imports a tool. The caller declares its type. @param {string} name @returns {Promise<unknown>} */
export const load = (name) => import(name);

/** The installed compilers, from the oldest, with the file that runs each. */
export const compilers = Object.keys(dependencies)
  .filter((name) => name.startsWith('typescript-'))
  .map((name) => ({ version: name.slice('typescript-'.length), program: join(here, 'node_modules', name, 'bin/tsc') }));
