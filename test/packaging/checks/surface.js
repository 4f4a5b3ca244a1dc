// The public surface: every name and signature, as API Extractor reads them from the declarations. The report is
// `surface.api.md`, so that a change of the surface shows in a diff. `npm run surface` writes it anew.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson } from '../../support/packed.js';
import { load } from '../tools.js';

const kept = fileURLToPath(new URL('../surface.api.md', import.meta.url));

const HEADER = `# The public surface

\`npm run surface\` writes this file from the reports of [API Extractor](https://api-extractor.com/), one of each entry.
An entry exports a declaration, or only uses it in the signatures of others.`;

/** The end of API Extractor's reports. */
const NO_COMMENT = '// (No @packageDocumentation comment for this package)';

/**
 * @typedef {object} ApiExtractor
 * @property {{ invoke(config: unknown, options: object): unknown }} Extractor
 * @property {{ prepare(options: object): unknown }} ExtractorConfig
 * @property {{ create(config: unknown, options: { additionalEntryPoints: string[] }): unknown }} CompilerState
 */

const none = { default: { logLevel: 'none' } };
const compilerOptions = { target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', strict: true, types: [] };

/**
 * API Extractor's report of each entry, by the entry's name.
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
        newlineKind: 'lf',
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
  return new Map(entries.map((entry) => [nameOf(entry), read(join(folder, reportOf(entry)))]));
}

/** @param {string} entry */
const nameOf = (entry) => basename(entry, '.d.ts');

/** @param {string} entry */
const reportOf = (entry) => `${nameOf(entry)}.api.md`;

/**
 * One report of all entries. They share most of their types, so each declaration is written once, with the entries that
 * export it and those whose signatures only use it.
 *
 * @param {Map<string, string>} reports
 */
function mergeReports(reports) {
  /** @type {Map<string, { name: string, exportedBy: string[], usedBy: string[] }>} */
  const declarations = new Map();
  for (const [entry, report] of reports) {
    const [, code = ''] = report.split('\n```');
    for (const part of code.split(/\n\n(?=\/\/ @|import )/).slice(1)) {
      const [tags = '', ...lines] = part.replace(NO_COMMENT, '').trimEnd().split('\n');
      const isExported = lines.some((line) => line.startsWith('export '));
      const declaration = [tags, ...lines.map((line) => line.replace(/^export (?!\{)/, ''))].join('\n');
      const [, name = ''] = /^(?:abstract )?(?:class|const|function|interface|type) (\w+)/m.exec(declaration) ?? [];
      const found = declarations.get(declaration) ?? { name, exportedBy: [], usedBy: [] };
      (isExported ? found.exportedBy : found.usedBy).push(entry);
      declarations.set(declaration, found);
    }
  }
  const sorted = [...declarations].sort(([one, { name: a }], [other, { name: b }]) =>
    a === b ? compare(one, other) : compare(a, b),
  );
  const written = sorted.map(([declaration, { exportedBy, usedBy }]) => {
    const exporting = exportedBy.length > 0 ? `exported by ${exportedBy.join(', ')}` : '';
    const using = usedBy.length > 0 ? `used by ${usedBy.join(', ')}` : '';
    return `// ${[exporting, using].filter(Boolean).join('; ')}\n${declaration}`;
  });
  return `${HEADER}\n\n\`\`\`ts\n${written.join('\n\n')}\n\`\`\`\n`;
}

/** @param {string} one @param {string} other */
const compare = (one, other) => (one < other ? -1 : Number(one > other));

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
    const now = mergeReports(await readSurface(installed, entries, reports));
    const result = `${entries.length} entries, ${now.match(/^\/\/ exported by /gm)?.length} exported declarations`;
    if (process.env.WRITE_SURFACE) {
      writeFileSync(kept, now);
      return { result: `${result}, written`, problems: [] };
    }
    const problems =
      read(kept) === now
        ? []
        : ['surface.api.md differs from the built declarations: run npm run surface, and read the diff'];
    return { result, problems };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}
