// Puts the small shared files of the ESM build together. esbuild writes one for each set of entries that share code, and
// Node.js takes half a millisecond of processor time for each file.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { rollup } from 'rollup';

/** In bytes. A larger file stays alone, so that an entry loads little that it does not use. */
const SMALL = 3_000;

// An entry with types alone stays empty. Here a shared file could be put into it, and be exported.
const files = readdirSync('dist')
  .filter((file) => file.endsWith('.js') && !/^cli\.js$|\.global\.js$/.test(file))
  .filter((file) => readFileSync(`dist/${file}`, 'utf8').trim() !== '');
const isShared = (/** @type {string} */ file) => file.startsWith('chunk-');
const entries = files.filter((file) => !isShared(file));
const bundle = await rollup({
  input: Object.fromEntries(entries.map((file) => [file.replace(/\.js$/, ''), `dist/${file}`])),
  external: (id) => !/^(?:\.|\/|dist\/)/.test(id),
  // esbuild has left out what no entry uses.
  treeshake: false,
  logLevel: 'warn',
});
for (const file of files) rmSync(`dist/${file}`);
await bundle.write({
  dir: 'dist',
  chunkFileNames: 'chunk-[hash].js',
  hashCharacters: 'base36',
  experimentalMinChunkSize: SMALL,
  hoistTransitiveImports: false,
});
