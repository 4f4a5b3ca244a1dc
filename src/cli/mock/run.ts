import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { readArgs } from '../args.js';
import { Failure, remark } from '../output.js';
import { SIGNALS } from '../serving.js';
import { MOCK_RUN_OPTIONS, startMock } from './mock.js';

/** The exit codes of a shell. */
const [CANNOT_START, NOT_FOUND] = [126, 127];
const AFTER_SIGNAL = 128;

export async function run(words: readonly string[]): Promise<number> {
  const at = words.indexOf('--');
  const [command, ...args] = at < 0 ? [] : words.slice(at + 1);
  const options = readArgs(MOCK_RUN_OPTIONS, at < 0 ? words : words.slice(0, at));
  if (command === undefined) throw new Failure('mock run needs a command after --: location-sdk mock run -- npm test');
  const { url, close } = await startMock({ port: 0, ...options });
  remark(`location-sdk mock gateway listening on ${url}`);
  try {
    return await runCommand(command, args, url);
  } finally {
    await close();
  }
}

async function runCommand(command: string, args: readonly string[], url: string): Promise<number> {
  // npm is a batch file on Windows, which only a shell starts.
  const shell = process.platform === 'win32';
  const env = { ...process.env, LOCATION_SDK_MOCK: url };
  const child = spawn(command, args, { stdio: 'inherit', env, shell });
  const stop = passSignals(child);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? AFTER_SIGNAL + (signal ? constants.signals[signal] : 0)));
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(
      `cannot start ${command} (${code ?? 'unknown'}): is it installed, and in PATH?`,
      code === 'ENOENT' ? NOT_FOUND : CANNOT_START,
    );
  } finally {
    stop();
  }
}

/** Returns a function that stops this. */
function passSignals(child: ChildProcess): () => void {
  const listeners = SIGNALS.map((signal) => {
    // A terminal sends Ctrl+C to the command, too, and a second SIGINT makes many programs end at once.
    const listener = () => void (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal));
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => listeners.forEach(({ signal, listener }) => void process.off(signal, listener));
}
