import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface InstalledPackage {
  /** A project of a stranger, with nothing but the packed package installed. */
  readonly project: string;
  /** What the tarball holds. */
  readonly files: readonly string[];
}

declare module 'vitest' {
  export interface ProvidedContext {
    installed: InstalledPackage;
  }
}

/** Builds, packs and installs the package once for all tests of this folder. */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  if (isStale()) await npm(ROOT, 'run', 'build');
  const project = mkdtempSync(join(tmpdir(), 'location-sdk-package-'));
  try {
    const [packed] = JSON.parse(await npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', project));
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
    await npm(project, 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${packed.filename}`);
    provide('installed', { project, files: packed.files.map(({ path }: { path: string }) => path) });
  } catch (error) {
    rmSync(project, { recursive: true, force: true });
    throw error;
  }
  return () => rmSync(project, { recursive: true, force: true });
}

async function npm(directory: string, ...words: string[]): Promise<string> {
  const { stdout } = await run('npm', words, { cwd: directory, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const modified = (path: string) => statSync(path).mtimeMs;

const within = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Whether what is built is missing, or older than what it is built from. */
function isStale(): boolean {
  const dist = join(ROOT, 'dist');
  const built = existsSync(dist) ? within(dist).map(modified) : [];
  const sources = [
    ...within(join(ROOT, 'src')),
    ...['package.json', 'tsconfig.json', 'tsup.config.ts', 'scripts/documents.js'].map((name) => join(ROOT, name)),
  ];
  return built.length === 0 || Math.min(...built) < Math.max(...sources.map(modified));
}
