// Prints the size of the script-tag files, the first beside that of a bundle of nothing but ky and the parts of `zod/mini` in use, made in the
// same way in the same run. The file carries neither: stand-ins take their place (src/delivery/request.browser.ts and
// src/schema/zod.browser.ts), and the comparison shows what they save. Fails where a file is larger than visitors should pay for.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'tsup';

const LIMIT = 24_000;
const DREAM = 15_000;
const OUTBOX_LIMIT = 30_500;

const gzipped = (/** @type {string | Uint8Array} */ content) => gzipSync(content, { level: 9 }).byteLength;

/** The members of zod/mini that the source calls. */
async function partsOfZod() {
  const names = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(names.map((name) => readFile(join('src', name), 'utf8')));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\bz\.([a-z]\w*)\(/g)].map((match) => match[1])))].sort();
}

/** The size of a bundle of libraries alone. @param {string} folder @param {string} name @param {string} source */
async function bundle(folder, name, source) {
  const entry = join(folder, `${name}.ts`);
  await writeFile(entry, source);
  const { scriptTag } = await import(new URL('../tsup.script-tag.js', import.meta.url).href);
  await build({ ...scriptTag, config: false, silent: true, sourcemap: false, entry: { [name]: entry }, outDir: folder });
  return gzipped(await readFile(join(folder, `${name}.global.js`)));
}

const parts = await partsOfZod();
// Within the project, so that the libraries are found.
const folder = await mkdtemp(join('node_modules', '.size-'));
try {
  const zod = `import * as z from 'zod/mini';\nObject.assign(globalThis, { z: [${parts.map((part) => `z.${part}`).join(', ')}] });\n`;
  const libraries = await bundle(folder, 'ky-and-zod', `import ky from 'ky';\n${zod}Object.assign(globalThis, { ky });\n`);
  const file = gzipped(await readFile('dist/location-sdk.global.js'));
  const row = (/** @type {string} */ what, /** @type {number} */ bytes) =>
    console.log(`${what.padEnd(58)}${bytes.toLocaleString('en').padStart(7)} bytes gzip -9`);
  row('dist/location-sdk.global.js', file);
  row('not in it: ky and the parts of zod/mini in use, alone', libraries);
  row('limit', LIMIT);
  row('dream', DREAM);
  const outbox = gzipped(await readFile('dist/location-sdk.outbox.global.js'));
  row('dist/location-sdk.outbox.global.js', outbox);
  row('limit', OUTBOX_LIMIT);
  for (const [name, excess] of [
    ['script-tag file', file - LIMIT],
    ['script-tag file with the outbox', outbox - OUTBOX_LIMIT],
  ])
    if (Number(excess) > 0) {
      console.error(`The ${name} is ${excess} bytes too large.`);
      process.exitCode = 1;
    }
} finally {
  await rm(folder, { recursive: true });
}
