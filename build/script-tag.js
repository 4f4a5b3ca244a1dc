import { floor } from './floor.js';

/**
 * The build of a script-tag file. `npm run size` bundles its libraries the same way. @satisfies
 * {import('tsup').Options}
 */
export const scriptTag = {
  format: /** @type {const} */ ('iife'),
  platform: /** @type {const} */ ('browser'),
  ...floor,
  noExternal: [/.*/],
  minify: /** @type {const} */ ('terser'),
  terserOptions: {
    ecma: /** @type {const} */ (2020),
    toplevel: true,
    compress: { passes: 5, pure_getters: true, sequences: false, lhs_constants: false, keep_fargs: false },
  },
};

/**
 * The stub, with its own names only: terser would inline this small function, and its variables would become the
 * page's.
 */
export const stubTag = { ...scriptTag, minify: true };

/** The script-tag files, and their entries. */
export const scriptTags = {
  'location-sdk': 'src/entries/script-tag.ts',
  'location-sdk.locate': 'src/entries/script-tag-locate.ts',
  'location-sdk.relay': 'src/entries/script-tag-relay.ts',
  'location-sdk.outbox': 'src/entries/script-tag-outbox.ts',
  'location-sdk.stub': 'src/entries/script-tag-stub.ts',
};
