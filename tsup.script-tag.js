import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * In a script-tag file `name.browser.ts` stands in for `name.ts`: what only a server needs is not paid for by visitors. In one
 * that is for pages with a relay, `name.relayed.ts` goes before it: what only a gateway's client needs.
 * @param {{ suffixes: readonly string[], except?: readonly string[] }} options `except`: files that this script-tag file needs whole
 * @returns {import('esbuild').Plugin}
 */
const standIns = ({ suffixes, except = [] }) => ({
  name: 'stand-ins',
  setup(build) {
    build.onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
      const whole = resolve(resolveDir, path.replace(/\.js$/, ''));
      if (except.some((name) => whole.endsWith(`/${name}`))) return undefined;
      const standIn = suffixes.map((suffix) => `${whole}.${suffix}.ts`).find((name) => existsSync(name));
      return standIn ? { path: standIn, sideEffects: false } : undefined;
    });
  },
});

/** How the script-tag file is made; `npm run size` bundles its libraries the same way. @satisfies {import('tsup').Options} */
export const scriptTag = {
  format: /** @type {const} */ ('iife'),
  platform: /** @type {const} */ ('browser'),
  target: /** @type {const} */ ('es2020'),
  noExternal: [/.*/],
  sourcemap: true,
  minify: /** @type {const} */ ('terser'),
  terserOptions: {
    ecma: /** @type {const} */ (2020),
    toplevel: true,
    compress: { passes: 5, pure_getters: true, sequences: false, lhs_constants: false, keep_fargs: false },
  },
  esbuildPlugins: [standIns({ suffixes: ['browser'] })],
};

/** The script-tag file with the outbox, for pages with a relay; the outbox reaches the client through its door. @satisfies {import('tsup').Options} */
export const scriptTagWithOutbox = {
  ...scriptTag,
  esbuildPlugins: [standIns({ suffixes: ['relayed', 'browser'], except: ['client/internals'] })],
};
