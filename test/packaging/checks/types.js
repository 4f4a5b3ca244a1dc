import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson, root, run, wordsOf } from '../../support/packed.js';
import { compilers } from '../tools.js';

const { resolve } = createRequire(import.meta.url);
const CONSUMER = fileURLToPath(new URL('../../package/consumer/', import.meta.url));
const NODE_TYPES = dirname(dirname(resolve('@types/node/package.json')));
const COMPILER = fileURLToPath(new URL('../../support/compile-folders.js', import.meta.url));
const COMPILE_LIMIT_MS = 600_000;

/**
 * Both kinds of module in one project; bundlers have one kind.
 * @type {{ module: string, moduleResolution: string, extensions: string[], lastTypeScript?: number }[]}
 */
const RESOLUTIONS = [
  { module: 'node16', moduleResolution: 'node16', extensions: ['mts', 'cts'] },
  { module: 'nodenext', moduleResolution: 'nodenext', extensions: ['mts', 'cts'] },
  { module: 'esnext', moduleResolution: 'bundler', extensions: ['ts'] },
  // node10 does not read "exports". TypeScript 7 removed it.
  { module: 'commonjs', moduleResolution: 'node10', extensions: ['ts'], lastTypeScript: 6 },
];

/** The platform types of a compilation, and the files of `test/package/consumer` that compile with them. */
const PLATFORMS = [
  { platform: 'DOM', lib: ['es2022', 'dom'], types: [], files: ['uses', 'mistakes', 'with-web-types', 'in-a-page'] },
  { platform: 'Node.js', lib: ['es2022'], types: ['node'], files: ['uses', 'mistakes', 'with-web-types', 'in-node'] },
];

/** From this version on a compiler is a program without an interface for JavaScript. */
const FIRST_NATIVE = 7;

const all = [{ version: '5.9', program: join(root, 'node_modules/typescript/bin/tsc') }, ...compilers].sort(
  (a, b) => Number(a.version) - Number(b.version),
);

/** @param {import('../run.js').Packed} packed */
export async function checkTypes({ project, installed, entries }) {
  const jobs = all.flatMap(({ version }) =>
    RESOLUTIONS.filter(({ lastTypeScript = Number.POSITIVE_INFINITY }) => Number(version) <= lastTypeScript).flatMap(
      (resolution) => PLATFORMS.map((platform) => ({ version, ...resolution, ...platform })),
    ),
  );
  installPeers(project);
  const ofNode = entries.filter((entry) => namesNode(installed, entry));
  /** @type {Map<string, string[]>} */
  const said = new Map();
  const waiting = [...all];
  const work = async () => {
    for (let compiler = waiting.shift(); compiler; compiler = waiting.shift()) {
      const { version } = compiler;
      const own = jobs.filter((job) => job.version === version);
      const folders = own.map((job) =>
        writeConsumer(
          project,
          job.types.includes('node') ? entries : entries.filter((entry) => !ofNode.includes(entry)),
          job,
        ),
      );
      const lines = await compile(project, compiler, folders);
      for (const [index, job] of own.entries()) said.set(nameOf(job), lines[index] ?? ['it was not compiled']);
    }
  };
  await Promise.all([work(), work()]);
  const cells = PLATFORMS.flatMap(({ platform }) =>
    RESOLUTIONS.map(({ moduleResolution }) => ({ moduleResolution, platform })),
  );
  const table = [
    `\nTypeScript  ${cells.map(({ moduleResolution, platform }) => `${moduleResolution} ${platform}`.padEnd(18)).join('')}`,
    ...all.map(({ version }) => {
      const marks = cells.map((cell) => markOf(said.get(nameOf({ version, ...cell }))).padEnd(18));
      return `${version.padEnd(12)}${marks.join('')}`;
    }),
  ];
  const problems = [...said].flatMap(([name, lines]) => lines.slice(0, 12).map((line) => `${name}: ${line}`));
  return {
    result: `${jobs.length} compilations, ES modules and CommonJS, skipLibCheck off`,
    problems,
    notes: [...table, `need @types/node: ${ofNode.join(', ')}`],
  };
}

/** @param {string[] | undefined} lines the compiler's messages; undefined if it does not have the resolution */
function markOf(lines) {
  if (lines === undefined) return '-';
  return lines.length === 0 ? 'ok' : 'FAILED';
}

/** @param {{ version: string, moduleResolution: string, platform: string }} job */
const nameOf = ({ version, moduleResolution, platform }) => `TypeScript ${version}, ${moduleResolution}, ${platform}`;

/**
 * A project that imports telemetry has the peer whose types it names. No other declaration names a peer.
 * @param {string} project
 */
function installPeers(project) {
  const peer = join(project, 'node_modules/@opentelemetry/api');
  if (existsSync(peer)) return;
  mkdirSync(dirname(peer), { recursive: true });
  symlinkSync(join(root, 'node_modules/@opentelemetry/api'), peer, 'dir');
}

/**
 * Whether the declarations of an entry, or their imports, name a module of Node.js.
 * @param {string} installed
 * @param {string} entry
 */
function namesNode(installed, entry) {
  const { types } = Object.values(
    readJson(join(installed, 'package.json')).exports[entry.replace('location-sdk', '.')],
  ).find((found) => found?.types);
  const seen = new Set([join(installed, types)]);
  for (const file of seen) {
    const text = readFileSync(file, 'utf8');
    if (/(?:from |import\()'node:/.test(text)) return true;
    for (const [, path = ''] of text.matchAll(/(?:from|import) '(\.\/[^']+)\.js'/g))
      seen.add(join(dirname(file), `${path}.d.ts`));
  }
  return false;
}

/**
 * Compiles folders of the project. Returns the compiler's messages for each, line by line.
 * @param {string} project
 * @param {{ version: string, program: string }} compiler
 * @param {string[]} folders
 * @returns {Promise<string[][]>}
 */
async function compile(project, { version, program }, folders) {
  const options = { cwd: project, timeout: COMPILE_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
  if (Number(version) < FIRST_NATIVE)
    return JSON.parse((await run(process.execPath, [COMPILER, program, ...folders], options)).stdout);
  /** @type {string[][]} */
  const said = [];
  for (const folder of folders) {
    const words = await run(process.execPath, [program, '--pretty', 'false', '--project', folder], options).then(
      () => '',
      wordsOf,
    );
    said.push(words.split('\n').filter((line) => line.trim() !== ''));
  }
  return said;
}

/** @param {string} project @param {string[]} entries @param {{ version: string, module: string, moduleResolution: string, extensions: string[], lib: string[], types: string[], files: string[] }} job */
function writeConsumer(project, entries, { version, extensions, files, module, moduleResolution, lib, types }) {
  const folder = mkdtempSync(join(project, 'types-'));
  const every = entries.map((entry, index) => `import * as entry${index} from '${entry}';`).join('\n');
  const texts = {
    'every-entry': `${every}\nexport const all: readonly object[] = [${entries.map((_, index) => `entry${index}`).join(', ')}];\n`,
  };
  for (const name of files) Object.assign(texts, { [name]: readFileSync(join(CONSUMER, `${name}.ts`), 'utf8') });
  for (const extension of extensions) {
    for (const [name, text] of Object.entries(texts))
      writeFileSync(
        join(folder, `${name}.${extension}`),
        text.replace(/(from '\.\/[\w-]+)\.js'/g, `$1.${extension.replace('ts', 'js')}'`),
      );
  }
  const compilerOptions = {
    module,
    moduleResolution,
    lib,
    types,
    // Only TypeScript 6 warns about node10, and only that version accepts this value.
    ...(version.startsWith('6.') && { ignoreDeprecations: '6.0' }),
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    // The compiler's own libraries are not tested here, and take most of the time.
    skipDefaultLibCheck: true,
    noEmit: true,
    typeRoots: [NODE_TYPES],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
  return folder;
}
