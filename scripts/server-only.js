// Writes what a browser's bundler finds where it asks for an entry that only servers may use: a file that no bundler can build.
// `"browser": null` in the exports would say it shorter, but Vite looks past it, and so does Jest.
import { readFile, writeFile } from 'node:fs/promises';

const { exports } = JSON.parse(await readFile('package.json', 'utf8'));

for (const [entry, { browser }] of Object.entries(exports)) {
  if (browser === undefined) continue;
  if (typeof browser !== 'string') throw new Error(`The exports of package.json must name a file for a browser that asks for "${entry}".`);
  const name = entry.replace('./', 'location-sdk/');
  // All that bundlers show of a module they cannot find is its name, so that says what is wrong. No package can have it.
  const words = `Only a server can use ${name}, so import it in code that runs on your server, never in a page`;
  await writeFile(browser, `module.exports = require('${words}');\n`);
}
