// The package as a user gets it: packed, and installed from the tarball into a separate folder. For the scripts that
// `.ci/run` starts.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const INSTALL_LIMIT_MS = 300_000;
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund'];

export const run = promisify(execFile);

/** Runs npm in a folder; no install script is run. @param {string} folder @param {string[]} words */
export const npm = (folder, ...words) =>
  run('npm', [...words, ...QUIET], { cwd: folder, timeout: INSTALL_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });

/** @param {string} path */
export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * Packs the build into a folder.
 * @param {string} folder
 * @returns {Promise<{ filename: string, size: number, unpackedSize: number, integrity: string, files: { path: string,
 * size: number }[] }>}
 */
export async function pack(folder) {
  const { stdout } = await npm(root, 'pack', '--json', '--pack-destination', folder);
  return JSON.parse(stdout)[0];
}

/** Packs the package, and installs it in a folder, as a user's project does. @param {string} project */
export async function installPackage(project) {
  const packed = await pack(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  await npm(project, 'install', '--prefer-offline', `./${packed.filename}`);
  return packed;
}

/** The output of a failed command. @param {unknown} error */
export function wordsOf(error) {
  const {
    killed,
    stdout = '',
    stderr = '',
    message,
  } = /** @type {{ killed?: boolean, stdout?: string, stderr?: string, message: string }} */ (error);
  return `${killed ? 'took longer than its time limit\n' : ''}${`${stdout}${stderr}`.trim() || message}`;
}
