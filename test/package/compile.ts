import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);
const COMPILER = fileURLToPath(new URL('../support/compile-folders.js', import.meta.url));
const TYPE_ROOT = dirname(dirname(resolve('@types/node/package.json')));
const CONSUMER = new URL('consumer/', import.meta.url);

export interface Consumer {
  /** Names of the files in `consumer/` that belong to it. */
  readonly files: readonly string[];
  /** Decides between `import` and `require`. */
  readonly extension: 'ts' | 'mts' | 'cts';
  readonly module: string;
  readonly moduleResolution: string;
  readonly lib: readonly string[];
  readonly types: readonly string[];
}

/**
 * Compiles consumers, each in a folder of the project with the package, with the strictest options. Returns the
 * compiler's messages for each, line by line.
 */
export async function compileAll(project: string, consumers: readonly Consumer[]): Promise<string[][]> {
  const folders = consumers.map((consumer) => writeConsumer(project, consumer));
  const { stdout } = await run(process.execPath, [COMPILER, resolve('typescript/bin/tsc'), ...folders], {
    cwd: project,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

function writeConsumer(project: string, { files, extension, module, moduleResolution, lib, types }: Consumer): string {
  const directory = mkdtempSync(join(project, 'consumer-'));
  for (const file of files) {
    const text = readFileSync(new URL(`${file}.ts`, CONSUMER), 'utf8');
    writeFileSync(
      join(directory, `${file}.${extension}`),
      text.replace(/(from '\.\/[\w-]+)\.js'/g, `$1.${extension.replace('ts', 'js')}'`),
    );
  }
  const compilerOptions = {
    module,
    moduleResolution,
    lib,
    types,
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    // The compiler's own libraries are not tested here, and take long.
    skipDefaultLibCheck: true,
    noEmit: true,
    typeRoots: [TYPE_ROOT],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
  return directory;
}
