import { readdirSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';
import { floor } from './build/floor.js';
import { notices } from './build/notices.js';
import { ownKeys } from './build/own-keys.js';
import { pagesDefine } from './build/pages.js';
import { pureConstants } from './build/pure-constants.js';
import { requireLater } from './build/require-later.js';
import { scriptTag, scriptTags, stubTag } from './build/script-tag.js';

/** In addition to the modules: the command, and the script-tag files. */
const OTHERS = ['cli', 'script-tag', 'script-tag-locate', 'script-tag-relay', 'script-tag-outbox', 'script-tag-stub'];

/** A module for each file of `src/entries`, under its name. */
const names = readdirSync('src/entries').map((file) => file.replace(/\.ts$/, ''));
const entries = Object.fromEntries(
  names.filter((name) => !OTHERS.includes(name)).map((name) => [name, `src/entries/${name}.ts`]),
);

/** With the fields as one more file, zod is in a file of its own, which a bundle that checks nothing leaves out. */
const files = { ...entries, fields: 'src/core/schema/fields.ts' };

const shared = {
  ...floor,
  platform: 'neutral',
  loader: { '.sql': 'text' },
  external: [/^node:/],
  // `node:sqlite` exists under no other name.
  removeNodeProtocol: false,
  treeshake: true,
  define: await pagesDefine([notices]),
  esbuildPlugins: [pureConstants, ownKeys, notices],
} satisfies Options;

export default defineConfig([
  {
    ...shared,
    entry: files,
    format: 'esm',
    dts: { entry: entries, compilerOptions: { stripInternal: true } },
  },
  // ky exists as ESM only, so the CommonJS build includes it. build/cjs-declarations.js makes its declarations.
  {
    ...shared,
    entry: files,
    format: 'cjs',
    noExternal: ['ky'],
    plugins: [requireLater],
    splitting: true,
    outExtension: () => ({ js: '.cjs' }),
  },
  // Metro leaves nothing out of a module, so an app gets one file of what the page needs.
  {
    ...shared,
    entry: { 'page.react-native': 'src/entries/page.ts' },
    format: 'cjs',
    noExternal: [/.*/],
    minify: true,
    outExtension: () => ({ js: '.cjs' }),
  },
  // It runs in Node.js alone, and carries the reader of CSV files inside.
  { ...shared, target: 'es2022', platform: 'node', entry: { cli: 'src/entries/cli.ts' }, format: 'esm' },
  ...Object.entries(scriptTags).map(([name, source]) => ({
    ...(name === 'location-sdk.stub' ? stubTag : scriptTag),
    esbuildPlugins: [ownKeys, notices],
    entry: { [name]: source },
  })),
]);
