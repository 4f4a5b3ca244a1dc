// The scripts of pages that are compared: ours as they are shipped, and packages in a bundle.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @param {string} name */
export const file = (name) => readFile(new URL(`../../dist/${name}`, import.meta.url), 'utf8');

/** Exports of a package as a page's bundler makes them one script. @param {string} name @param {string} exports */
export async function bundle(name, exports) {
  const stdin = {
    contents: `import ${exports} from '${name}'; globalThis.all = ${exports.replace('* as ', '')};`,
    resolveDir: fileURLToPath(new URL('.', import.meta.url)),
  };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2020',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
