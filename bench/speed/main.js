// Measures the package and its peers, on the two versions of Node.js for which values are promised: `node
// speed/main.js`. With `--quick` in two minutes and on this Node.js only, with `--node <program>` on another one too.
// Fails if a promised value is missed. Only ratios are promised (and one time): the other values depend on the machine.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { runProcess, startProcess } from '../process.js';
import { isSmoke } from '../smoke.js';
import { measureImports } from './imports.js';
import { measurePageScripts } from './page-scripts.js';
import { chartsOf, pageScriptsTable, promisesOf, sectionOf } from './report.js';
import { findRuntimes } from './runtimes.js';
import { measureSending } from './sending.js';
import { measureVolume } from './volume.js';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

const SIZES = {
  whole: {
    sending: { sets: 3, rounds: 7, milliseconds: 300, warmUp: 1, counted: 200 },
    scripts: 15,
    imports: 15,
    validation: 15,
    volume: { reports: 1_000_000, rounds: 15 },
    sockets: { reports: 50_000, rounds: 7 },
  },
  quick: {
    sending: { sets: 1, rounds: 5, milliseconds: 100, warmUp: 0.25, counted: 200 },
    scripts: 5,
    imports: 5,
    validation: 7,
    volume: { reports: 100_000, rounds: 9 },
    sockets: { reports: 10_000, rounds: 3 },
  },
  smoke: {
    sending: { sets: 1, rounds: 1, milliseconds: 1, warmUp: 0.001, counted: 2 },
    scripts: 1,
    imports: 1,
    validation: 1,
    volume: { reports: 1_000, rounds: 1 },
    sockets: { reports: 1_000, rounds: 1 },
  },
};

/** The checks are not an entry of the package, so their source is bundled. @param {string} folder */
async function bundleChecks(folder) {
  const schemas = ['bet', 'copy-json', 'validate'].map((name) => `export * from './core/schema/${name}.js';`);
  const contents = [
    "export { checkCall } from './core/client/check-call.js';",
    "export * as z from 'zod/v4/core';",
    ...schemas,
  ].join('\n');
  const outfile = join(folder, 'checks.mjs');
  await build({
    stdin: { contents, resolveDir: here('../../src'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  });
  return outfile;
}

/** @param {import('../process.js').Runtime} runtime @param {typeof SIZES.whole} size @param {number} port @param {string} checks @param {(what: string) => void} tell */
async function measure(runtime, size, port, checks, tell) {
  const sent = await measureSending(runtime, port, size.sending, (what) => tell(`sending, ${what}`));
  tell('imports');
  const imported = await measureImports(runtime, size.imports);
  tell('validation');
  const validated = await runProcess(new URL('validating.js', import.meta.url), {
    runtime,
    words: [checks, String(size.validation), ...(isSmoke ? ['--smoke'] : [])],
  });
  tell('from one report to very many, without a network');
  const volume = await measureVolume(runtime, port, { key: 'inProcess', ...size.volume });
  tell('from one report to very many, over sockets');
  const sockets = await measureVolume(runtime, port, { key: 'fast', ...size.sockets });
  return { name: runtime.name, sent, imported, validated, volume, sockets };
}

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, smoke: { type: 'boolean' }, node: { type: 'string', multiple: true } },
});
const size = SIZES[isSmoke ? 'smoke' : values.quick ? 'quick' : 'whole'];
const { runtimes, missing } = await findRuntimes(values.quick === true, values.node ?? []);
const began = performance.now();
const tell = (/** @type {string} */ what) =>
  console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${what}`);

const folder = await mkdtemp(here('../.checks-'));
const gateway = await startProcess(new URL('gateway.js', import.meta.url));
try {
  const checks = await bundleChecks(folder);
  tell('scripts of a page');
  const scripts = await measurePageScripts(size.scripts);
  const all = [];
  for (const runtime of runtimes) {
    all.push(await measure(runtime, size, Number(gateway.first), checks, (what) => tell(`${runtime.name}, ${what}`)));
  }
  const charts = chartsOf(all, scripts);
  const results = `# Results

Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${process.platform}. Only
what is compared within one run means something: every contender is a process of its own, all send to one server in another
process, and they take turns in short rounds. Shown are medians; a ratio is the median of the rounds' ratios. How it is run: [docs/maintaining/testing.md](../docs/maintaining/testing.md#bench).

${Object.keys(charts)
  .map((name) => `![${name.replace('.svg', '')}](charts/${name})`)
  .join('\n\n')}

${all.map((measured) => sectionOf(measured)).join('\n\n')}

## Scripts of a page

${pageScriptsTable(scripts)}

The time is that to parse, compile and run the script in Chromium, with the processor slowed down four times; the ratio is the median of the rounds' ratios. Ours and Segment's are the files as they are shipped. Radar's is bundled with all that it exports, Sentry's with init and captureException, minified.
`;
  if (!isSmoke) console.log(results.replace(/!\[.*\n\n?/g, ''));
  // A quick run is not stored.
  if (!isSmoke && !values.quick) {
    await mkdir(here('../charts'), { recursive: true });
    await writeFile(here('../results.md'), results);
    for (const [name, chart] of Object.entries(charts)) await writeFile(here(`../charts/${name}`), chart);
  }
  for (const measured of isSmoke ? [] : all) {
    for (const { what, limit, figure } of promisesOf(measured, values.quick).filter(({ kept }) => !kept)) {
      console.error(`Not kept on ${measured.name}: ${what}: ${figure}, promised ${limit}`);
      process.exitCode = 1;
    }
  }
  // If they have no build for this system, a smoke test accepts the available ones.
  for (const name of missing) {
    console.error(`${name} was not measured: it is not installed beside the benchmark. Name one with --node`);
    if (!isSmoke) process.exitCode = 1;
  }
  tell('done');
} finally {
  await gateway.stop();
  await rm(folder, { recursive: true });
}
