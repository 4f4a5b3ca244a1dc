// Tests that the packed package suits every consumer: `npm run test:package`, which builds first. Its additional tools
// are pinned in the `package.json` of this folder, and come from the npm registry. No install script is run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackage, readJson, wordsOf } from '../support/packed.js';
import { checkBundles } from './checks/bundles.js';
import { checkCode } from './checks/code.js';
import { checkContents } from './checks/contents.js';
import { checkDocumented } from './checks/documented.js';
import { checkFloor } from './checks/floor.js';
import { checkLint } from './checks/lint.js';
import { checkRebuilt } from './checks/rebuilt.js';
import { checkSurface } from './checks/surface.js';
import { checkTypes } from './checks/types.js';
import { installTools } from './tools.js';

/**
 * @typedef {object} Packed the input of each check
 * @property {string} project a new project with only the package installed
 * @property {string} installed the folder of the package in it
 * @property {{ filename: string, size: number, unpackedSize: number, integrity: string, files: { path: string, size:
 * number }[] }} tarball
 * @property {string[]} entries the names that can be imported: `location-sdk`, `location-sdk/mock`, …
 *
 * @typedef {object} Finding
 * @property {string} result a short description of what was checked
 * @property {string[]} problems
 * @property {string[]} [notes] lines that are always printed
 */

/** @type {[what: string, check: (packed: Packed) => Promise<Finding> | Finding][]} */
const CHECKS = [
  ['contents of the tarball', checkContents],
  ['publint, are-the-types-wrong', checkLint],
  ['every export is documented', checkDocumented],
  ['the public surface is as its report says', checkSurface],
  ['no text is run as code', checkCode],
  ['pages load nothing too new', checkFloor],
  ['TypeScript, old and new', checkTypes],
  ['bundlers leave out what is unused', checkBundles],
  ['a second build is the same', checkRebuilt],
];

const chosen = process.argv.slice(2);
const isChosen = (/** @type {string} */ name, /** @type {string} */ word) =>
  name.toLowerCase().includes(word.toLowerCase());
const unknown = chosen.filter((word) => !CHECKS.some(([, { name }]) => isChosen(name, word)));
if (unknown.length > 0) {
  console.error(
    `No check is called ${unknown.join(', ')}. There are: ${CHECKS.map(([, { name }]) => name.replace(/^check/, '').toLowerCase()).join(', ')}.`,
  );
  process.exit(2);
}

await installTools();
const project = mkdtempSync(join(tmpdir(), 'location-sdk-packaging-'));
try {
  const tarball = await installPackage(project);
  const installed = join(project, 'node_modules/location-sdk');
  const entries = Object.keys(readJson(join(installed, 'package.json')).exports)
    .filter((name) => !name.endsWith('.json'))
    .map((name) => `location-sdk${name.slice(1)}`);

  const rows = [];
  for (const [what, check] of CHECKS) {
    if (chosen.length > 0 && !chosen.some((word) => isChosen(check.name, word))) continue;
    const started = performance.now();
    /** @type {Finding} */
    let finding;
    try {
      finding = await check({ project, installed, tarball, entries });
    } catch (error) {
      finding = { result: 'did not finish', problems: [wordsOf(error)] };
    }
    const seconds = (performance.now() - started) / 1_000;
    for (const note of finding.notes ?? []) console.log(note);
    rows.push({ what, seconds, ...finding });
  }

  console.log(`\n${'check'.padEnd(36)}${'seconds'.padStart(7)}  ${'result'.padEnd(8)}`);
  for (const { what, seconds, result, problems } of rows) {
    console.log(
      `${what.padEnd(36)}${seconds.toFixed(1).padStart(7)}  ${(problems.length === 0 ? 'ok' : 'FAILED').padEnd(8)}${result}`,
    );
  }
  const failed = rows.filter(({ problems }) => problems.length > 0);
  for (const { what, problems } of failed)
    console.error(`\n${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(project, { recursive: true, force: true });
}
