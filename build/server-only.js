// Writes the file that a browser's bundler finds for an entry that only servers may use: no bundler can build it.
// `"browser": null` in the exports would be shorter, but Vite and Jest ignore it.
import { readFile, writeFile } from 'node:fs/promises';

const { exports } = JSON.parse(await readFile('package.json', 'utf8'));

for (const [entry, { browser }] of Object.entries(exports)) {
  if (browser === undefined) continue;
  if (typeof browser !== 'string')
    throw new Error(`The exports of package.json must name a file for a browser that asks for "${entry}".`);
  const name = entry.replace('./', 'location-sdk/');
  // Bundlers show only the name of a module that they cannot find, so the name states the problem. No package can have
  // it.
  const words = `Only a server can use ${name}, so import it in code that runs on your server, never in a page`;
  await writeFile(browser, `module.exports = require('${words}');\n`);
}
