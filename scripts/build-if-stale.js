// Builds `dist/` where it is missing, or older than what it is made from: `node scripts/build-if-stale.js`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Everything that decides how the build comes out. */
export const INPUTS = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsup.config.ts',
  'tsup.notices.js',
  'tsup.script-tag.js',
  'tsup.pure.js',
  'pages.build.js',
  'scripts/cjs-declarations.js',
  'scripts/documents.js',
  'scripts/integrity.js',
  'scripts/server-only.js',
];

/** The build writes this file last, so an interrupted build has none. */
const LAST = 'dist/integrity.json';

/** When each file under a path was last changed. @param {string} path @returns {number[]} */
function timesOf(path) {
  if (!statSync(path).isDirectory()) return [statSync(path).mtimeMs];
  // A folder's own time tells of files that were deleted or renamed.
  return [statSync(path).mtimeMs, ...readdirSync(path, { recursive: true }).map((name) => statSync(join(path, String(name))).mtimeMs)];
}

/** Whether the build is missing, older than anything that it is made from, or changed since it ended. @param {string} [folder] */
export function isStale(folder = root) {
  if (!existsSync(join(folder, LAST))) return true;
  const built = timesOf(join(folder, 'dist'));
  const isOld = Math.min(...built) < Math.max(...INPUTS.flatMap((name) => timesOf(join(folder, name))));
  return isOld || Math.max(...built) > statSync(join(folder, LAST)).mtimeMs;
}

/**
 * Builds if that is needed. The npm scripts and `test/package/install.ts` call it.
 * Test files run side by side and call `expectFreshBuild` instead.
 */
export function buildIfStale() {
  if (!isStale()) return;
  console.error('Building dist/, which is missing or older than its sources. This takes a minute or two.');
  const { status, error, stdout, stderr } = spawnSync('npm run --silent build', { cwd: root, shell: true, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`The build failed, so nothing was run. Mend this first:\n${stdout}${stderr}${error ?? ''}`);
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) buildIfStale();
