import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * In a script-tag file `name.browser.ts` stands in for `name.ts`: what only a server needs is not paid for by visitors.
 * @param {{ except?: readonly string[] }} [options] files that this script-tag file needs whole
 * @returns {import('esbuild').Plugin}
 */
const browserStandIns = ({ except = [] } = {}) => ({
  name: 'browser stand-ins',
  setup(build) {
    build.onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
      const standIn = resolve(resolveDir, path.replace(/\.js$/, '.browser.ts'));
      const isWhole = except.some((name) => standIn.endsWith(`/${name}.browser.ts`));
      return existsSync(standIn) && !isWhole ? { path: standIn, sideEffects: false } : undefined;
    });
  },
});

/**
 * Properties that never leave the file, and so may have short names in it: no option, no result, no wire format, nothing that is
 * looked up by a text. `test/package/short-names.test.ts` looks that it stays so.
 */
export const internalNames = [
  'abandon',
  'advice',
  'always',
  'askedAt',
  'certain',
  'certificate',
  'deadline',
  'destinations',
  'details',
  'ended',
  'ending',
  'example',
  'failure',
  'fixedLocations',
  'hasRefused',
  'inDoubt',
  'inquiry',
  'isAnswered',
  'isForbidden',
  'isHidden',
  'isOptional',
  'isReport',
  'isSecure',
  'landed',
  'leftOf',
  'looseObject',
  'mayLackRoom',
  'milliseconds',
  'nobodyWaits',
  'notSent',
  'optional',
  'parameters',
  'plainHttp',
  'refine',
  'safeParse',
  'standard',
  'strictObject',
  'takenAt',
  'tryLowAccuracy',
  'whenHidden',
  'withoutSent',
];

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
    mangle: { properties: { regex: new RegExp(`^(?:${internalNames.join('|')})$`) } },
  },
  esbuildPlugins: [browserStandIns()],
};

/** The script-tag file with the outbox, which reaches the client through its door. @satisfies {import('tsup').Options} */
export const scriptTagWithOutbox = { ...scriptTag, esbuildPlugins: [browserStandIns({ except: ['client-door'] })] };
