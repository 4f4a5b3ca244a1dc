// Copies each declaration file for `require`, with the same text: generating them from the sources again takes long.
import { readdir, readFile, writeFile } from 'node:fs/promises';

const dist = new URL('../dist/', import.meta.url);

for (const name of await readdir(dist)) {
  if (!name.endsWith('.d.ts')) continue;
  const text = await readFile(new URL(name, dist), 'utf8');
  const twin = text.replace(/(from |import |import\()'(\.\/[\w-]+)\.js'/g, "$1'$2.cjs'");
  await writeFile(new URL(name.replace(/\.ts$/, '.cts'), dist), twin);
}
