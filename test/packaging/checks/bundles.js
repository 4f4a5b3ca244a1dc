import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import * as vite from 'vite';
import webpack from 'webpack';
import { load } from '../tools.js';

/**
 * The size of the package in a page: the least possible, since an empty bundle would prove nothing, and the most
 * allowed. Bytes, minified and compressed with gzip -9.
 */
const CONSUMERS = [
  {
    takes: 'one guard',
    code: "import { isReportingError } from 'location-sdk';\nexport const said = isReportingError(globalThis.thrown);",
    least: 100,
    most: 300,
  },
  {
    takes: 'one lookup service',
    code: "import { geojs } from 'location-sdk';\nexport const provider = geojs();",
    least: 1_000,
    most: 2_500,
  },
  {
    takes: 'a client',
    code: "import { createClient } from 'location-sdk';\nexport const client = createClient({ relayUrl: '/relay' });",
    least: 25_000,
    most: 45_700,
  },
  {
    takes: 'everything',
    code: "import * as all from 'location-sdk';\nglobalThis.all = all;",
    least: 27_000,
    most: 51_200,
  },
];

/**
 * Each bundler minifies with its own tool. rollup has none, so esbuild does it.
 * @type {Record<string, (folder: string, entry: string) => Promise<string>>}
 */
const BUNDLERS = {
  esbuild: async (folder, entry) => {
    const { outputFiles } = await esbuild.build({
      absWorkingDir: folder,
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    return outputFiles[0]?.text ?? '';
  },
  rollup: async (folder, entry) => {
    const { rollup } = /** @type {typeof import('rollup')} */ (await load('rollup'));
    const { nodeResolve } = /** @type {{ nodeResolve(options: object): import('rollup').Plugin }} */ (
      await load('@rollup/plugin-node-resolve')
    );
    const bundle = await rollup({
      input: join(folder, entry),
      plugins: [nodeResolve({ browser: true })],
      onwarn: refuse,
    });
    const { output } = await bundle.generate({ format: 'es' });
    return (await esbuild.transform(output[0].code, { minify: true, format: 'esm' })).code;
  },
  webpack: (folder, entry) =>
    new Promise((resolve, reject) => {
      const output = { path: folder, filename: `webpack-${entry}`, library: { type: 'module' } };
      const options = {
        context: folder,
        entry: `./${entry}`,
        output,
        experiments: { outputModule: true },
        mode: /** @type {const} */ ('production'),
      };
      webpack({ ...options, performance: false }, (error, stats) => {
        const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
        const said = [...errors, ...warnings].map(({ message }) => message);
        if (error || said.length > 0) reject(error ?? new Error(said.join('\n')));
        else resolve(readFileSync(join(folder, output.filename), 'utf8'));
      });
    }),
  Vite: async (folder, entry) => {
    const lib = { entry: join(folder, entry), formats: [/** @type {const} */ ('es')] };
    const built = await vite.build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: { lib, write: false, minify: 'oxc' },
    });
    const [first] = Array.isArray(built) ? built : [built];
    const chunk = first && 'output' in first ? first.output[0] : undefined;
    if (!chunk) throw new Error('Vite built nothing.');
    return (await esbuild.transform(chunk.code, { minify: true, format: 'esm' })).code;
  },
};

/** @param {{ message: string }} warning */
function refuse({ message }) {
  throw new Error(message);
}

/** @param {import('../run.js').Packed} packed */
export async function checkBundles({ project }) {
  const folder = mkdtempSync(join(project, 'bundles-'));
  const problems = [];
  const table = [
    `\n${'bytes, gzip -9'.padEnd(22)}${[...Object.keys(BUNDLERS), 'least', 'most'].map((name) => name.padStart(9)).join('')}`,
  ];
  for (const [index, { takes, code, least, most }] of CONSUMERS.entries()) {
    const entry = `consumer-${index}.js`;
    writeFileSync(join(folder, entry), code);
    const sizes = [];
    for (const [name, bundle] of Object.entries(BUNDLERS)) {
      const size = gzipSync(await bundle(folder, entry), { level: 9 }).byteLength;
      if (size > most) problems.push(`${takes}, bundled by ${name}, is ${size} bytes; the limit is ${most}`);
      if (size < least)
        problems.push(`${takes}, bundled by ${name}, is ${size} bytes: less than ${least} cannot do it`);
      sizes.push(size);
    }
    table.push(
      `${takes.padEnd(22)}${[...sizes, least, most].map((size) => size.toLocaleString('en').padStart(9)).join('')}`,
    );
  }
  return { result: `${CONSUMERS.length} consumers, ${Object.keys(BUNDLERS).join(', ')}`, problems, notes: table };
}
