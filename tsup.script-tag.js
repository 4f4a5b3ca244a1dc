import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/**
 * In the script-tag file `name.browser.ts` stands in for `name.ts`: what only a server needs is not paid for by visitors.
 * @type {import('esbuild').Plugin}
 */
const browserStandIns = {
  name: 'browser stand-ins',
  setup(build) {
    build.onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
      const standIn = resolve(resolveDir, path.replace(/\.js$/, '.browser.ts'));
      return existsSync(standIn) ? { path: standIn, sideEffects: false } : undefined;
    });
  },
};

/**
 * zod keeps its settings on the global object, so that its copies share them. A page has one global of ours and no more.
 * @type {import('esbuild').Plugin}
 */
const noGlobalSettings = {
  name: 'no global settings',
  setup(build) {
    build.onLoad({ filter: /zod\/v4\/core\/core\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = `const ownSettings = {};\n${source
        .replace(/\(_a = globalThis\)\.__zod_globalConfig.*;\n/, '')
        .replaceAll('globalThis.__zod_globalConfig', 'ownSettings')}`;
      if (contents.includes('__zod_globalConfig')) throw new Error(`${path} is not as it was: look for its global settings again`);
      return { contents };
    });
  },
};

/** How the script-tag file is made; `npm run size` makes its floor the same way. @satisfies {import('tsup').Options} */
export const scriptTag = {
  format: /** @type {const} */ ('iife'),
  platform: /** @type {const} */ ('browser'),
  target: /** @type {const} */ ('es2020'),
  noExternal: [/.*/],
  sourcemap: true,
  minify: /** @type {const} */ ('terser'),
  terserOptions: { ecma: /** @type {const} */ (2020), toplevel: true, compress: { passes: 3, pure_getters: true } },
  esbuildPlugins: [browserStandIns, noGlobalSettings],
};
