import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expectFreshBuild } from '../support/built.js';
import { root } from '../support/run.js';

/** A built script-tag file. Throws if it is missing or older than the sources. */
export function readScript(name = 'location-sdk.global.js'): string {
  expectFreshBuild();
  return readFileSync(join(root, 'dist', name), 'utf8');
}

/** Built modules as one script with the global name of the script-tag files, as a bundler makes it. */
export async function bundleModules(...files: readonly string[]): Promise<string> {
  expectFreshBuild();
  const stdin = { contents: files.map((file) => `export * from './dist/${file}';`).join('\n'), resolveDir: root };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'LocationSDK',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
