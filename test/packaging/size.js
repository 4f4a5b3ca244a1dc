// Prints the sizes of the script-tag files, and of `location-sdk/page` in a bundle. Fails if one exceeds its limit.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const gzipped = (/** @type {string | Uint8Array} */ content) => gzipSync(content, { level: 9 }).byteLength;

/** The size of an entry in a page's bundle. @param {string} contents */
async function bundled(contents) {
  const stdin = { contents, resolveDir: process.cwd() };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  return gzipped(outputFiles[0]?.contents ?? '');
}

const rows = [
  {
    what: 'a page that only locates: location-sdk.locate.global.js',
    bytes: gzipped(await readFile('dist/location-sdk.locate.global.js')),
    limit: 6_000,
  },
  {
    what: 'the same from npm: locate and postOnce of location-sdk/page',
    bytes: await bundled("export { locate, postOnce } from './dist/page.js';"),
    limit: 5_950,
  },
  {
    what: 'a page with a relay: location-sdk.relay.global.js',
    bytes: gzipped(await readFile('dist/location-sdk.relay.global.js')),
    limit: 25_000,
  },
  {
    what: 'the same from npm: createClient of location-sdk/page',
    bytes: await bundled(
      "import { createClient } from './dist/page.js';\nexport const client = createClient({ relayUrl: '/relay' });",
    ),
    limit: 22_800,
  },
  {
    what: 'a page, relay or gateway: location-sdk.global.js',
    bytes: gzipped(await readFile('dist/location-sdk.global.js')),
    limit: 38_200,
  },
  {
    what: 'a page with a relay and the outbox: location-sdk.outbox.global.js',
    bytes: gzipped(await readFile('dist/location-sdk.outbox.global.js')),
    limit: 43_000,
  },
];

for (const { what, bytes, limit } of rows) {
  console.log(
    `${what.padEnd(68)}${bytes.toLocaleString('en').padStart(7)} bytes gzip -9, at most ${limit.toLocaleString('en')}`,
  );
  if (bytes <= limit) continue;
  console.error(`${what} is ${bytes - limit} bytes too large.`);
  process.exitCode = 1;
}
