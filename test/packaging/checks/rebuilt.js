import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INPUTS } from '../../../build/build-if-stale.js';
import { readJson, root, run } from '../../support/packed.js';

/** The files and folders that a build reads. */
const SOURCES = [...new Set(INPUTS.map((name) => name.replace(/\/.*/, '')))];
const BUILD_LIMIT_MS = 900_000;

/** @param {string} folder */
const hashesOf = (folder) =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex'),
      ]),
  );

/**
 * The packages that a build includes are copied: through a link they would have the first folder's path.
 * @param {string} elsewhere
 */
function linkPackages(elsewhere) {
  const notices = readFileSync(join(root, 'dist/THIRD-PARTY-NOTICES'), 'utf8');
  const included = new Set(Array.from(notices.matchAll(/^(\S+) \d+\.\d+\.\d+$/gm), ([, name]) => name));
  mkdirSync(join(elsewhere, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const from = join(root, 'node_modules', name);
    const to = join(elsewhere, 'node_modules', name);
    if (included.has(name)) cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
}

/** A built clone in another folder, with another time zone and language. Without it a build is made here. */
const { SECOND_BUILD } = process.env;

/** Compares the packed files with a second build. @param {import('../run.js').Packed} packed */
export async function checkRebuilt({ installed }) {
  if (SECOND_BUILD) return compare(installed, SECOND_BUILD);
  const elsewhere = mkdtempSync(join(tmpdir(), 'a-folder-with-quite-another-name-'));
  try {
    for (const name of SOURCES) cpSync(join(root, name), join(elsewhere, name), { recursive: true });
    linkPackages(elsewhere);
    const env = { ...process.env, TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' };
    await run('npm', ['run', '--silent', 'build'], {
      cwd: elsewhere,
      env,
      timeout: BUILD_LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return compare(installed, elsewhere);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}

/** @param {string} installed @param {string} elsewhere */
function compare(installed, elsewhere) {
  const first = hashesOf(join(installed, 'dist'));
  const second = hashesOf(join(elsewhere, 'dist'));
  const names = new Set([...first.keys(), ...second.keys()]);
  const problems = [...names]
    .filter((name) => first.get(name) !== second.get(name))
    .map((name) => `dist/${name} is not the same`);
  return {
    result: `${names.size} files of ${readJson(join(installed, 'package.json')).version}, the same bytes`,
    problems,
  };
}
