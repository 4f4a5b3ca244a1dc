// Builds the site of the documents into `site/pages`, a folder that any web server can serve: the guides, then the
// reference of every public name. `npm run docs`. Fails on a dead link, on a public name without a description, and on
// a page that the menu leaves out.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { build } from 'vitepress';
import { checkSite } from './check.js';
import { writeReference } from './reference.js';
import { stagePages } from './stage.js';

const SOURCE = 'site/source';

await rm('site', { recursive: true, force: true });
await mkdir(`${SOURCE}/.vitepress/theme`, { recursive: true });
await writeFile(`${SOURCE}/.vitepress/config.js`, "export { default } from '../../../scripts/site/config.js';\n");
await writeFile(
  `${SOURCE}/.vitepress/theme/index.js`,
  "export { default } from '../../../../scripts/site/theme/index.js';\n",
);

const entries = await writeReference(`${SOURCE}/reference/api`);
const guides = await stagePages(SOURCE);
await build(SOURCE);
const problems = await checkSite('site/pages');
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`site/pages/index.html: ${guides} guides, ${entries} entries. "npm run docs:serve" shows them.`);
