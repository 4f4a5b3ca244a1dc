// Writes `dist/integrity.json`: hash for `integrity` and size of each script-tag file.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

/** @param {Uint8Array} file */
const factsOf = (file) => ({
  integrity: `sha384-${createHash('sha384').update(file).digest('base64')}`,
  bytes: file.byteLength,
  gzipBytes: gzipSync(file, { level: 9 }).byteLength,
});

const names = (await readdir('dist')).filter((name) => name.endsWith('.global.js')).sort();
const facts = await Promise.all(names.map(async (name) => [name, factsOf(await readFile(`dist/${name}`))]));
await writeFile('dist/integrity.json', `${JSON.stringify(Object.fromEntries(facts), null, 2)}\n`);
