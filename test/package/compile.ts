import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);
const TSC = resolve('typescript/bin/tsc');
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

/** Compiles a consumer in a folder of the project that has the package, as strictly as one can; what the compiler says, line by line. */
export async function compile(project: string, { files, extension, ...options }: Consumer): Promise<string[]> {
  const directory = mkdtempSync(join(project, 'consumer-'));
  for (const file of files) {
    const text = readFileSync(new URL(`${file}.ts`, CONSUMER), 'utf8');
    writeFileSync(join(directory, `${file}.${extension}`), text.replace(/(from '\.\/[\w-]+)\.js'/g, `$1.${extension.replace('ts', 'js')}'`));
  }
  const compilerOptions = {
    ...options,
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    typeRoots: [TYPE_ROOT],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
  return new Promise((done) => {
    // A failing exit code has its reasons in the output, or in the error where the compiler did not run.
    execFile(process.execPath, [TSC, '--pretty', 'false', '--project', directory], { cwd: project }, (error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line.trim() !== '');
      done(error && lines.length === 0 ? [String(error)] : lines);
    });
  });
}
