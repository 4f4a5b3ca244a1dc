import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.js';

/** What decides how the build comes out, beside `src/`. */
const INPUTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsup.config.ts',
  'tsup.script-tag.js',
  'tsup.pure.js',
  'tsup.zod.js',
  'inspector.build.js',
  'scripts/documents.js',
  'scripts/integrity.js',
  'scripts/server-only.js',
];

const modified = (path: string) => statSync(path).mtimeMs;

const within = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Whether what is built is missing, or older than anything that it is built from. */
export function isStale(): boolean {
  const dist = join(root, 'dist');
  const built = existsSync(dist) ? within(dist).map(modified) : [];
  const sources = [...within(join(root, 'src')), ...INPUTS.map((name) => join(root, name))];
  return built.length === 0 || Math.min(...built) < Math.max(...sources.map(modified));
}

/** An old build proves nothing. */
export function expectFreshBuild(): void {
  if (isStale()) throw new Error('dist/ is missing, or older than what it is built from: run "npm run build" first.');
}
