// Builds `dist/` if it is missing, or older than its sources: `node build/build-if-stale.js`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** All files that affect the build. */
export const INPUTS = ['src', 'pages', 'build', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsup.config.ts'];

/** The build writes this file last, so an interrupted build has none. */
const LAST = 'dist/integrity.json';

/** The time of the last change of each file under a path. @param {string} path @returns {number[]} */
function timesOf(path) {
  if (!statSync(path).isDirectory()) return [statSync(path).mtimeMs];
  // A folder's own time changes when files are deleted or renamed.
  return [
    statSync(path).mtimeMs,
    ...readdirSync(path, { recursive: true }).map((name) => statSync(join(path, String(name))).mtimeMs),
  ];
}

/** Whether the build is missing, older than one of its sources, or changed since it ended. @param {string} [folder] */
export function isStale(folder = root) {
  if (!existsSync(join(folder, LAST))) return true;
  const built = timesOf(join(folder, 'dist'));
  const isOld = Math.min(...built) < Math.max(...INPUTS.flatMap((name) => timesOf(join(folder, name))));
  return isOld || Math.max(...built) > statSync(join(folder, LAST)).mtimeMs;
}

/**
 * Builds if that is needed. The npm scripts and `test/package/install.ts` call it. Test files run in parallel and call
 * `expectFreshBuild` instead.
 */
export function buildIfStale() {
  if (!isStale()) return;
  console.error('Building dist/, which is missing or older than its sources. This takes a minute or two.');
  const { status, error, stdout, stderr } = spawnSync('npm run --silent build', {
    cwd: root,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0)
    throw new Error(`The build failed, so nothing was run. Fix this first:\n${stdout}${stderr}${error ?? ''}`);
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) buildIfStale();
