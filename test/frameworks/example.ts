import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, pack, run } from '../support/packed.js';
import { root } from '../support/run.js';

/** A project as a new user gets it: copied into an empty folder, installed from npm, with the packed package. */
export interface Example {
  readonly folder: string;
  /** Runs a program of the example to its end, and returns its output. */
  run(program: string, ...words: string[]): Promise<string>;
  /** Starts a program, and resolves once it has printed this text. */
  start(ready: RegExp, variables: Record<string, string>, program: string, ...words: string[]): Promise<Started>;
  /** The scripts of a folder of its build, one after the other. */
  scriptsIn(folder: string): string;
  remove(): Promise<void>;
}

/**
 * The output of a command that must fail, while a file of the page sends the player: the backend adds the player, and
 * a visitor can forge what the page sends.
 */
export async function refusalOfPlayer(example: Example, file: string, program: string, ...words: string[]) {
  const path = join(example.folder, file);
  const code = readFileSync(path, 'utf8');
  const wrong = code.replace('{ stake:', "{ user: { nin: '99012345678' }, stake:");
  if (wrong === code) throw new Error(`${file} has no payload with a stake`);
  writeFileSync(path, wrong);
  try {
    await example.run(program, ...words);
  } catch (error) {
    const { stdout = error, stderr } = error as { stdout?: unknown; stderr?: unknown };
    return `${stdout}${stderr}`;
  } finally {
    writeFileSync(path, code);
  }
  throw new Error(`${file} was compiled with the player in its payload`);
}

/** The compiler's words about the player in a payload. */
export const PLAYER_REFUSED = /Type '\{ nin: string; \}' is not assignable to type 'never'/;

/** Syntax that Chrome 80 to 84 cannot read. Minifiers write it in every bundle that names no older browsers. */
export const TOO_NEW = /(?:\?\?|\|\||&&)=/;

export interface Started {
  /** Its output so far. */
  readonly output: () => string;
  stop(): Promise<void>;
}

const { PATH, HOME } = process.env;
const environment = { PATH, HOME, NEXT_TELEMETRY_DISABLED: '1' };

/** A folder of `examples`, or another one. */
export async function installExample(name: string, source = join('examples', name)): Promise<Example> {
  const folder = mkdtempSync(join(tmpdir(), `location-sdk-${name}-`));
  const ofUs = (path: string) => !/\/(?:node_modules|\.next|dist)(?:\/|$)/.test(path.slice(root.length - 1));
  cpSync(join(root, source), folder, { recursive: true, filter: ofUs });
  const { filename } = await pack(folder);
  await npm(folder, 'ci', '--prefer-offline');
  await npm(folder, 'install', '--prefer-offline', '--no-save', `./${filename}`);

  const running = new Set<ChildProcess>();
  async function stop(child: ChildProcess): Promise<void> {
    if (!running.delete(child)) return;
    const ended = once(child, 'exit');
    process.kill(-Number(child.pid), 'SIGTERM');
    await ended;
  }

  return {
    folder,
    async run(program, ...words) {
      const { stdout, stderr } = await run(program, words, { cwd: folder, env: environment, timeout: 300_000 });
      return stdout + stderr;
    },
    async start(ready, variables, program, ...words) {
      const child = spawn(program, words, {
        cwd: folder,
        env: { ...environment, ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      running.add(child);
      child.once('exit', () => running.delete(child));
      let output = '';
      const isReady = new Promise<void>((resolve, reject) => {
        const add = (piece: unknown) => {
          output += piece;
          if (ready.test(output)) resolve();
        };
        child.stdout?.on('data', add);
        child.stderr?.on('data', add);
        child.once('exit', (code) => reject(new Error(`${program} ${words.join(' ')} ended with ${code}: ${output}`)));
      });
      await isReady;
      return { output: () => output, stop: () => stop(child) };
    },
    scriptsIn(part) {
      const files = readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' });
      const scripts = files.filter((name) => name.endsWith('.js'));
      return scripts.map((name) => readFileSync(join(folder, part, name), 'utf8')).join('\n');
    },
    async remove() {
      await Promise.all([...running].map(stop));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
