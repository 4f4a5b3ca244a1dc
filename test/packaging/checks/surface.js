// The public surface: each entry's names and signatures, as API Extractor reads them from the declarations. The reports
// stand in the folder `surface`, so that a change of the surface shows in a diff. `npm run surface` writes them anew.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson } from '../../support/packed.js';
import { load } from '../tools.js';

const kept = fileURLToPath(new URL('../surface', import.meta.url));

/**
 * @typedef {object} ApiExtractor
 * @property {{ invoke(config: unknown, options: object): unknown }} Extractor
 * @property {{ prepare(options: object): unknown }} ExtractorConfig
 * @property {{ create(config: unknown, options: { additionalEntryPoints: string[] }): unknown }} CompilerState
 */

const none = { default: { logLevel: 'none' } };
const compilerOptions = { target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', strict: true, types: [] };

/**
 * The report of each entry, by the name of its file.
 *
 * @param {string} installed
 * @param {string[]} entries the declarations of each entry
 * @param {string} folder for the reports
 */
async function readSurface(installed, entries, folder) {
  const { Extractor, ExtractorConfig, CompilerState } = /** @type {ApiExtractor} */ (
    await load('@microsoft/api-extractor')
  );
  const configs = entries.map((entry) =>
    ExtractorConfig.prepare({
      configObject: {
        projectFolder: installed,
        mainEntryPointFilePath: entry,
        compiler: { overrideTsconfig: { compilerOptions, files: entries } },
        apiReport: {
          enabled: true,
          reportFileName: reportOf(entry),
          reportFolder: folder,
          includeForgottenExports: true,
          reportTempFolder: join(folder, 'temp'),
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: { extractorMessageReporting: none, tsdocMessageReporting: none, compilerMessageReporting: none },
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(installed, 'package.json'),
    }),
  );
  // All entries share their types, so they are compiled once.
  const compilerState = CompilerState.create(configs[0], { additionalEntryPoints: entries });
  const messageCallback = (/** @type {{ handled: boolean }} */ message) => {
    message.handled = true;
  };
  for (const config of configs) Extractor.invoke(config, { localBuild: true, compilerState, messageCallback });
  return new Map(entries.map((entry) => [reportOf(entry), read(join(folder, reportOf(entry)))]));
}

/** @param {string} entry */
const reportOf = (entry) => `${basename(entry, '.d.ts')}.api.md`;

/** @param {string} report @returns {string[]} the exported names */
const namesIn = (report) =>
  [...report.matchAll(/^export (?:declare )?(?:abstract )?(?:\w+ )?(?:const |class )?(\w+)|^export \{ (\w+) \}/gm)].map(
    ([, name, other]) => name ?? other ?? '',
  );

/** @param {string} name */
const read = (name) => readFileSync(name, 'utf8');

/** @param {import('../run.js').Packed} packed */
export async function checkSurface({ project, installed: packed }) {
  // Outside of `node_modules`: API Extractor writes no signature of a type that a dependency declares.
  const installed = join(project, 'surface');
  cpSync(packed, installed, { recursive: true });
  /** @type {[string, { import?: { types?: string } } | string][]} */
  const exports = Object.entries(readJson(join(installed, 'package.json')).exports);
  const entries = exports.flatMap(([, conditions]) =>
    typeof conditions !== 'string' && conditions.import?.types ? [join(installed, conditions.import.types)] : [],
  );
  const reports = mkdtempSync(join(tmpdir(), 'location-sdk-surface-'));
  try {
    const now = await readSurface(installed, entries, reports);
    const names = new Set([...now.values()].flatMap(namesIn));
    const result = `${now.size} entries, ${names.size} names`;
    if (process.env.WRITE_SURFACE) {
      rmSync(kept, { recursive: true, force: true });
      mkdirSync(kept);
      for (const [file, report] of now) writeFileSync(join(kept, file), report);
      return { result: `${result}, written`, problems: [] };
    }
    const left = new Set(readdirSync(kept));
    const changed = [...now]
      .filter(([file, report]) => !left.delete(file) || read(join(kept, file)) !== report)
      .map(([file]) => file);
    const problems = [...changed, ...left].map(
      (file) => `${file} differs from the built declarations: run npm run surface, and read the diff`,
    );
    return { result, problems };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}
