import { build } from 'esbuild';
import { ownKeys } from '../../build/own-keys.js';
import { scriptTags } from '../../build/script-tag.js';
import { root } from './run.js';

/** The files whose code a script-tag file contains. These files have no source map: a minified one maps nothing. */
export async function scriptTagSources(file: string): Promise<string[]> {
  const source = new Map(Object.entries(scriptTags)).get(file.replace('.global.js', ''));
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
