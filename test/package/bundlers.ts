import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as buildWithEsbuild } from 'esbuild';
import { build as buildWithVite } from 'vite';
import webpack from 'webpack';

/** A module of a user's project. */
export interface Module {
  /** The folder of the project. */
  readonly project: string;
  readonly text: string;
  /** Conditions in addition to those for a browser. Each bundler has its own option for them. */
  readonly conditions?: readonly string[];
  /** The packages to leave out of the bundle: peers that the project does not have. */
  readonly external?: readonly string[];
}

/** Bundles a module for a browser, and returns the code. Rejects with the bundler's message. */
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
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: entry, external: [...(module.external ?? [])], preserveEntrySignatures: 'strict' },
    },
  });
  const outputs = Array.isArray(result) ? result : [result];
  return outputs
    .flatMap((output) => ('output' in output ? output.output : []))
    .reduce((text, part) => text + ('code' in part ? part.code : ''), '');
};

const withWebpack: Bundle = async (module) => {
  const { directory, entry } = write(module);
  const resolve = module.conditions && {
    resolve: { conditionNames: [...module.conditions, 'browser', 'import', 'require'] },
  };
  const externals = Object.fromEntries((module.external ?? []).map((name) => [name, 'globalThis.peer']));
  const output = { path: join(directory, 'out') };
  // The code is not minified, as with the others: that would take longer than bundling.
  const optimization = { minimize: false };
  const compiler = webpack({
    mode: 'production',
    target: 'web',
    context: directory,
    entry,
    ...resolve,
    externals,
    output,
    optimization,
  });
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
