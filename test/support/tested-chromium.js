import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './packed.js';

/**
 * The browser of the browser tests, for scripts that no test runner compiles: from npm, unless CHROMIUM_PATH names
 * another.
 * @returns {Promise<import('../browser/find-chromium.js').Executable>}
 */
export async function testedChromium() {
  const outfile = join(root, 'node_modules/.cache/find-chromium.mjs');
  await build({
    entryPoints: [join(root, 'test/browser/find-chromium.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  process.chdir(root);
  const { findChromium } = await import(pathToFileURL(outfile).href);
  return findChromium();
}
