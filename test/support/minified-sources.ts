import { build } from 'esbuild';
import { ownKeys } from '../../build/own-keys.js';
import { scriptTags } from '../../build/script-tag.js';
import { root } from './run.js';

/** The source of each minified file. These have no source map: it would map nothing. */
const SOURCES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(scriptTags).map(([name, source]) => [`${name}.global.js`, source])),
  'page.react-native.cjs': 'src/entries/page.ts',
};

export const isMinified = (file: string): boolean => file in SOURCES;

/** The files whose code a minified file contains. */
export async function minifiedSources(file: string): Promise<string[]> {
  const source = SOURCES[file];
  if (source === undefined) throw new Error(`The build makes no ${file}.`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    bundle: true,
    minify: true,
    format: 'iife',
    plugins: [ownKeys],
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])),
  );
}
