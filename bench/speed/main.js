// Measures the package beside its peers: `node speed/main.js`, with `--quick` in two minutes and on this Node.js alone, with
// `--node <program>` on another one, too, and `--keep` writes down what a quick run measured. Fails where a promise is not kept. Only ratios are promised (and one time): the
// figures themselves are those of a machine that does other things besides.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import { measureImports } from './imports.js';
import { runProcess, startProcess } from './process.js';
import { chartsOf, promisesOf, sectionOf, sizesTable } from './report.js';
import { measureSending } from './sending.js';
import { measureSizes } from './sizes.js';
import { measureVolume } from './volume.js';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

const SIZES = {
  whole: {
    sending: { rounds: 11, milliseconds: 300, warmUp: 1 },
    imports: 15,
    validation: 15,
    volume: { reports: 1_000_000, rounds: 15 },
    sockets: { reports: 50_000, rounds: 7 },
  },
  quick: {
    sending: { rounds: 5, milliseconds: 100, warmUp: 0.25 },
    imports: 5,
    validation: 7,
    volume: { reports: 100_000, rounds: 9 },
    sockets: { reports: 10_000, rounds: 3 },
  },
};

/** @param {string} execPath */
async function runtimeOf(execPath) {
  const { stdout } = await promisify(execFile)(execPath, ['-p', 'process.version']);
  return { name: `Node.js ${stdout.trim().slice(1)}`, execPath };
}

/** The schemas are no entry of the package, so they are bundled as they are. @param {string} folder */
async function bundleSchemas(folder) {
  const contents = ['accept', 'copy-json', 'settled', 'validate', 'zod'].map((name) => `export * from './${name}.js';`).join('\n');
  const outfile = join(folder, 'schemas.mjs');
  await build({ stdin: { contents, resolveDir: here('../../src/schema'), loader: 'ts' }, bundle: true, format: 'esm', platform: 'node', outfile });
  return outfile;
}

/** @param {import('./process.js').Runtime} runtime @param {typeof SIZES.whole} size @param {number} port @param {string} schemas @param {(what: string) => void} tell */
async function measure(runtime, size, port, schemas, tell) {
  tell('sending');
  const sent = await measureSending(runtime, port, size.sending);
  tell('imports');
  const imported = await measureImports(runtime, size.imports);
  tell('validation');
  const validated = await runProcess(runtime, 'validating.js', [schemas, String(size.validation)]);
  tell('from one report to very many');
  const volume = await measureVolume(runtime, port, { key: 'inProcess', ...size.volume });
  const sockets = await measureVolume(runtime, port, { key: 'fast', ...size.sockets });
  return { name: runtime.name, sent, imported, validated, volume, sockets };
}

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, keep: { type: 'boolean' }, node: { type: 'string', multiple: true } } });
const size = values.quick ? SIZES.quick : SIZES.whole;
const installed = here('../node_modules/node-24/bin/node');
const others = values.node ?? (!values.quick && existsSync(installed) ? [installed] : []);
const runtimes = await Promise.all([process.execPath, ...others].map(runtimeOf));
const began = performance.now();
const tell = (/** @type {string} */ what) => console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${what}`);

const folder = await mkdtemp(here('../.schemas-'));
const gateway = await startProcess({ name: 'gateway', execPath: process.execPath }, 'gateway.js');
try {
  const schemas = await bundleSchemas(folder);
  const all = [];
  for (const runtime of runtimes) {
    all.push(await measure(runtime, size, Number(gateway.first), schemas, (what) => tell(`${runtime.name}, ${what}`)));
  }
  const sizes = await measureSizes();
  const charts = chartsOf(all, sizes);
  const results = `# Results

Made by \`npm run bench\`${values.quick ? ' (`--quick`: short rounds, so that they scatter)' : ''} on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${process.platform}. The machine did other things
at the same time, so its figures scatter, and only what is compared within one run means something: every contender is a process of its own, all
send to one server in another process, and they take turns in short rounds. Shown are medians; a ratio is the median of
the rounds' ratios. How each figure is made: [docs/performance.md](../docs/performance.md).

${Object.keys(charts)
  .map((name) => `![${name.replace('.svg', '')}](charts/${name})`)
  .join('\n\n')}

${all.map((measured) => sectionOf(measured)).join('\n\n')}

## What a page loads

${sizesTable(sizes)}

Ours are the files as they are shipped; the others are bundled with all that they export, minified.
`;
  console.log(results.replace(/!\[.*\n\n?/g, ''));
  // A quick run is to look at.
  if (!values.quick || values.keep) {
    await mkdir(here('../charts'), { recursive: true });
    await writeFile(here('../results.md'), results);
    for (const [name, chart] of Object.entries(charts)) await writeFile(here(`../charts/${name}`), chart);
  }
  for (const measured of all) {
    for (const { what, limit, figure } of promisesOf(measured).filter(({ kept }) => !kept)) {
      console.error(`Not kept on ${measured.name}: ${what}: ${figure}, promised ${limit}`);
      process.exitCode = 1;
    }
  }
  tell('done');
} finally {
  await gateway.stop();
  await rm(folder, { recursive: true });
}
