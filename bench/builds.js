// This build of the package, and an earlier one with which it is compared.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BEFORE } from './options.js';

/**
 * @typedef {object} Entries
 * @property {typeof import('../dist/index.js')} index
 * @property {typeof import('../dist/outbox.js')} outbox
 * @property {typeof import('../dist/outbox-sqlite.js')} outbox-sqlite
 * @property {typeof import('../dist/outbox-postgres.js')} outbox-postgres
 * @property {typeof import('../dist/transport-node.js')} transport-node
 */
/** @typedef {{ key: string, folder: URL }} Build `key` ends the keys of its contenders */

/** @type {Build} */
export const NOW = { key: '', folder: new URL('../dist/', import.meta.url) };
/** The earlier build, if there is one. @type {Build | undefined} */
const earlier = BEFORE ? { key: 'Before', folder: pathToFileURL(`${BEFORE}/`) } : undefined;
export const builds = earlier ? [NOW, earlier] : [NOW];

/** An entry of a build. @template {keyof Entries} E @param {E} entry @param {Build} build @returns {Promise<Entries[E]>} */
export const load = (entry, { folder } = NOW) => import(new URL(`${entry}.js`, folder).href);

/** @param {string} name @param {Build} build */
export const nameOf = (name, { key } = NOW) => (key ? `${name}, the earlier build` : name);

/** Until a release has a tag, runs are compared with this commit. */
const UNTIL_A_TAG = 'afab2af166bcfb9781355f501c15fa7e7c21706b';

const git = (/** @type {string[]} */ ...words) =>
  execFileSync('git', words, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/**
 * Builds the last release from git, once, with the packages that are installed here. A clone may hold neither its tag
 * nor its commit, and its build may need other packages: then nothing is compared.
 *
 * @returns {{ name: string, dist: string } | { missing: string }}
 */
export function buildBefore() {
  try {
    const tag = git('tag', '--merged', 'HEAD~1', '--sort=-creatordate').split('\n')[0];
    const commit = git('rev-parse', '--verify', `${tag || UNTIL_A_TAG}^{commit}`);
    const folder = fileURLToPath(new URL(`../node_modules/.cache/location-sdk-bench/${commit}`, import.meta.url));
    if (!existsSync(folder)) {
      const building = `${folder}.building`;
      rmSync(building, { recursive: true, force: true });
      mkdirSync(building, { recursive: true });
      git('archive', '--output', `${building}/source.tar`, commit);
      execFileSync('tar', ['-xf', 'source.tar'], { cwd: building });
      execFileSync(process.execPath, ['build/index.js'], { cwd: building, stdio: 'pipe' });
      renameSync(building, folder);
    }
    return { name: tag || `commit ${commit.slice(0, 8)}`, dist: `${folder}/dist` };
  } catch (error) {
    return {
      missing: error instanceof Error ? error.message.trim().split('\n').slice(0, 2).join(': ') : String(error),
    };
  }
}
