import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as buildWithEsbuild } from 'esbuild';
import { build as buildWithVite } from 'vite';
import webpack from 'webpack';

/** A module of a stranger's project. */
export interface Module {
  /** Where the project is. */
  readonly project: string;
  readonly text: string;
  /** What the bundler is told beside what it takes for a browser; each has names of its own for that. */
  readonly conditions?: readonly string[];
  /** What is left out of the bundle: peers that the project does not have. */
  readonly external?: readonly string[];
}

/** Bundles a module for a browser, and gives what comes out; rejects with what the bundler says. */
type Bundle = (module: Module) => Promise<string>;

function write({ project, text }: Module): { directory: string; entry: string } {
  const directory = mkdtempSync(join(project, 'page-'));
  const entry = join(directory, 'page.js');
  writeFileSync(entry, text);
  return { directory, entry };
}

const withEsbuild: Bundle = async (module) => {
  const { entry } = write(module);
  const conditions = module.conditions && { conditions: [...module.conditions, 'browser'] };
  const { outputFiles } = await buildWithEsbuild({
    ...{
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      logLevel: 'silent',
      ...conditions,
      external: [...(module.external ?? [])],
    },
  });
  return outputFiles[0]?.text ?? '';
};

const withVite: Bundle = async (module) => {
  const { directory, entry } = write(module);
  const resolve = module.conditions && { resolve: { conditions: [...module.conditions, 'browser', 'module'] } };
  const result = await buildWithVite({
    ...{ configFile: false, root: directory, logLevel: 'silent', ...resolve },
    build: { write: false, minify: false, rolldownOptions: { input: entry, external: [...(module.external ?? [])], preserveEntrySignatures: 'strict' } },
  });
  const outputs = Array.isArray(result) ? result : [result];
  return outputs.flatMap((output) => ('output' in output ? output.output : [])).reduce((text, part) => text + ('code' in part ? part.code : ''), '');
};

const withWebpack: Bundle = async (module) => {
  const { directory, entry } = write(module);
  const resolve = module.conditions && { resolve: { conditionNames: [...module.conditions, 'browser', 'import', 'require'] } };
  const externals = Object.fromEntries((module.external ?? []).map((name) => [name, 'globalThis.peer']));
  const output = { path: join(directory, 'out') };
  // As of the others, what comes out need not be small; making it so takes longer than bundling it.
  const optimization = { minimize: false };
  const compiler = webpack({ mode: 'production', target: 'web', context: directory, entry, ...resolve, externals, output, optimization });
  if (!compiler) throw new Error('webpack made no compiler');
  let text = '';
  compiler.hooks.assetEmitted.tap('test', (_name, { content }) => {
    text += content.toString();
  });
  return new Promise((done, reject) => {
    compiler.run((error, stats) => {
      const problem =
        error?.message ??
        stats
          ?.toJson({ all: false, errors: true })
          .errors?.map(({ message }) => message)
          .join('\n');
      compiler.close(() => (problem ? reject(new Error(problem)) : done(text)));
    });
  });
};

export const BUNDLERS: readonly [name: string, bundle: Bundle][] = [
  ['esbuild', withEsbuild],
  ['Vite', withVite],
  ['webpack', withWebpack],
];
