import { execFile } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { buildIfStale } from '../../build/build-if-stale.js';
import { root } from '../support/run.js';

const run = promisify(execFile);

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder in which the package is being installed. */
    packageFolder: string;
  }
}

/** The file that tells the tests how the installation ended. */
export const ENDED = 'ended.json';
export type Ended = { readonly files: readonly string[] } | { readonly problem: string };

/**
 * Builds, packs and installs the package once for all tests of this folder. The set-up does not wait for npm, so that
 * the tests of other projects run meanwhile. `whenInstalled` waits.
 */
export default function setup({ provide }: TestProject): () => Promise<void> {
  buildIfStale();
  const project = mkdtempSync(join(tmpdir(), 'location-sdk-package-'));
  provide('packageFolder', project);
  const ending = install(project)
    .catch((error): Ended => ({ problem: String(error) }))
    .then((ended) => {
      // Renamed, so that no test reads an incomplete file.
      writeFileSync(join(project, `new-${ENDED}`), JSON.stringify(ended));
      renameSync(join(project, `new-${ENDED}`), join(project, ENDED));
    });
  return async () => {
    await ending;
    rmSync(project, { recursive: true, force: true });
  };
}

async function install(project: string): Promise<Ended> {
  const [packed] = JSON.parse(await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', project));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  await npm(project, 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${packed.filename}`);
  return { files: packed.files.map(({ path }: { path: string }) => path) };
}

async function npm(directory: string, ...words: string[]): Promise<string> {
  const { stdout } = await run('npm', words, { cwd: directory, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
