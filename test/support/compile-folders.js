// Compiles folders that have a `tsconfig.json`, one after the other, and prints the compiler's messages as JSON: a list
// of lines for each folder. The shared declarations are read once, which takes most of the time. node
// test/support/compile-folders.js <file of the compiler's command> <folder>…
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const [command = '', ...folders] = process.argv.slice(2);
/** @type {typeof import('typescript')} */
const ts = createRequire(import.meta.url)(join(dirname(command), '../lib/typescript.js'));

/**
 * Declarations by their name and kind of module: no other option of these folders changes how one is read.
 * @type {Map<string, import('typescript').SourceFile>}
 */
const declarations = new Map();

/** @param {string} folder */
function compile(folder) {
  /** @type {import('typescript').Diagnostic[]} */
  const broken = [];
  const parsed = ts.getParsedCommandLineOfConfigFile(
    join(folder, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (one) => void broken.push(one) },
  );
  if (!parsed) return broken;
  const host = ts.createCompilerHost(parsed.options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, how, ...rest) => {
    if (!/\.d\.[cm]?ts$/.test(name)) return getSourceFile(name, how, ...rest);
    const key = JSON.stringify([name, typeof how === 'object' ? [how.languageVersion, how.impliedNodeFormat] : how]);
    const source = declarations.get(key) ?? getSourceFile(name, how, ...rest);
    if (source) declarations.set(key, source);
    return source;
  };
  const { options, fileNames, errors } = parsed;
  return ts.getPreEmitDiagnostics(
    ts.createProgram({ rootNames: fileNames, options, host, configFileParsingDiagnostics: errors }),
  );
}

const format = {
  getCurrentDirectory: () => process.cwd(),
  getCanonicalFileName: (/** @type {string} */ name) => name,
  getNewLine: () => '\n',
};
const said = folders.map((folder) =>
  ts
    .formatDiagnostics(compile(folder), format)
    .split('\n')
    .filter((line) => line.trim() !== ''),
);
console.log(JSON.stringify(said));
