import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { buildIfStale } from '../../scripts/build-if-stale.js';
import { root } from '../support/run.js';

const run = promisify(execFile);

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
  buildIfStale();
  const project = mkdtempSync(join(tmpdir(), 'location-sdk-package-'));
  try {
    const [packed] = JSON.parse(await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', project));
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
