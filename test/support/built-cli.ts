import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { root, startNode } from './run.js';

/** The command line, built from the current `src`. */
export interface BuiltCli {
  /** Runs it to its end. */
  run(...words: string[]): Promise<{ code: number | null; out: string; err: string }>;
  /** The same, with variables in its environment. */
  runWith(
    variables: Record<string, string>,
    ...words: string[]
  ): Promise<{ code: number | null; out: string; err: string }>;
  /** Starts it. */
  start(...words: string[]): ChildProcess;
  /** The same, with variables in its environment. */
  startWith(variables: Record<string, string>, ...words: string[]): ChildProcess;
  /** Runs it with a standard output whose reader has closed it. Returns the exit code. */
  runUnread(...words: string[]): Promise<number | null>;
  /** Runs it with a file as its standard output. */
  runInto(path: string, ...words: string[]): Promise<{ code: number | null; err: string }>;
  /** Starts a mock gateway on a free port, and waits for its ready line. */
  mock(...words: string[]): Promise<RunningMock>;
  /** Ends the running processes, and removes the build. */
  remove(): Promise<void>;
}

export interface RunningMock {
  readonly child: ChildProcess;
  readonly readyLine: string;
  readonly url: string;
  /** Sends a signal, and returns the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function buildCli(): Promise<BuiltCli> {
  const folder = mkdtempSync(join(root, 'node_modules', '.cli-'));
  // Within the project, so that the libraries are found.
  const file = join(folder, 'cli.js');
  const entryPoints = [join(root, 'src/entries/cli.ts')];
  await build({
    entryPoints,
    outfile: file,
    bundle: true,
    packages: 'external',
    loader: { '.sql': 'text' },
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    logLevel: 'silent',
  });
  const running = new Set<ChildProcess>();

  function start(words: readonly string[], variables?: Record<string, string>): ChildProcess {
    const child = startNode([file, ...words], variables);
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  async function runWith(variables: Record<string, string>, ...words: string[]) {
    const child = start(words, variables);
    const read = { out: '', err: '' };
    child.stdout?.on('data', (piece) => {
      read.out += piece;
    });
    child.stderr?.on('data', (piece) => {
      read.err += piece;
    });
    const [code] = await once(child, 'close');
    return { code, ...read };
  }

  return {
    run: (...words) => runWith({}, ...words),
    runWith,
    start: (...words) => start(words),
    startWith: (variables, ...words) => start(words, variables),
    async runUnread(...words) {
      const child = start(words);
      child.stdout?.destroy();
      child.stderr?.resume();
      const [code] = await once(child, 'exit');
      return code;
    },
    async runInto(path, ...words) {
      const output = openSync(path, 'w');
      try {
        const { status, stderr } = spawnSync(process.execPath, [file, ...words], { stdio: ['ignore', output, 'pipe'] });
        return { code: status, err: String(stderr) };
      } finally {
        closeSync(output);
      }
    },
    async mock(...words) {
      const child = start(['mock', ...(words.includes('--port') ? [] : ['--port', '0']), ...words]);
      child.stderr?.resume();
      const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
      const [readyLine] = await once(lines, 'line');
      const url = /http:[^"\s]*/.exec(readyLine)?.[0] ?? '';
      const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
        child.kill(signal);
        const [code] = await once(child, 'exit');
        return code;
      };
      return { child, readyLine, url, end };
    },
    async remove() {
      const ends = [...running].map((child) => once(child, 'exit'));
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(ends);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
