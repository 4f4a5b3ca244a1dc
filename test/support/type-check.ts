import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { entrySources } from '../../build/entries.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The package's own names lead to its sources, so that documents are checked against the current code. */
const PATHS = Object.fromEntries([...entrySources()].map(([name, source]) => [name, [`./${source}`]]));

/** Makes `LocationSDK` a global, with the API of the script-tag file only. */
const GLOBAL = "import './src/entries/global.js';\n";

/** Parsed files of the disk, kept for all checks of a process, which have the same options. */
const sources = new Map<string, ts.SourceFile>();

/**
 * Type-checks texts as if they were modules of this project, by file name, and returns the compiler's messages.
 * Declarations are not checked.
 */
export function typeCheck(texts: Record<string, string>, declarations: Record<string, string> = {}): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  // Unused names in an example are accepted, and in JavaScript untyped ones.
  Object.assign(options, { paths: PATHS, noUnusedLocals: false, allowJs: true });
  const isUntyped = (name: string, { code, messageText }: ts.Diagnostic) =>
    /\.m?js$/.test(name) &&
    ((code >= 7000 && code < 8000) || `${messageText}`.endsWith("does not exist on type '{}'."));

  // The package is not installed here, so its types of the global are found in another way.
  const withoutReference = (text: string) =>
    text.replace(/^\/\/\/ <reference types="location-sdk\/global[/\w]*" \/>$/gm, '');
  const files = new Map(
    Object.entries({ ...texts, 'script-tag.ts': GLOBAL }).map(([name, text]) => [
      `${root}${name}`,
      `${withoutReference(text)}\nexport {};\n`,
    ]),
  );
  for (const [name, text] of Object.entries(declarations)) files.set(`${root}${name}`, text);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, version, true);
    const source = sources.get(name) ?? getSourceFile(name, version, ...rest);
    if (source) sources.set(name, source);
    return source;
  };

  const program = ts.createProgram([...files.keys(), `${root}src/outbox/stores/sqlite/libraries.d.ts`], options, host);
  return [...files.keys()].flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      .filter((found) => !isUntyped(name, found))
      .map(({ messageText, start = 0 }) => {
        const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
        return `${name.slice(root.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      });
  });
}
