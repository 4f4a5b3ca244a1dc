import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { main } from '../../src/cli/main.js';

/** How a command ended, and its output. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const openTerminal = (stdin = '') => ({ stdin: Readable.from([stdin]), stdout: new PassThrough(), stderr: new PassThrough() });

const keep = (stream: PassThrough) => {
  const kept = { text: '' };
  stream.on('data', (piece) => {
    kept.text += piece;
  });
  return kept;
};

/** Runs the command line to its end within this process, with its own streams. `stdin` is its input. `isTTY`: it writes to a terminal. */
export async function runCli(words: readonly string[], stdin = '', { isTTY = false } = {}): Promise<Ended> {
  const terminal = openTerminal(stdin);
  Object.assign(terminal.stdout, { isTTY });
  const [out, err] = [keep(terminal.stdout), keep(terminal.stderr)];
  const code = await main(words, terminal);
  await Promise.all([terminal.stdout, terminal.stderr].map((stream) => once(stream.end(), 'end')));
  return { code, out: out.text, err: err.text };
}

/** The objects that a command wrote with `--json`, one per line. */
export const jsonOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Starts `location-sdk mock` within this process on a free port, and waits for its ready line. */
export async function startMock(...words: string[]) {
  const ending = new AbortController();
  const terminal = { ...openTerminal(), signal: ending.signal };
  terminal.stderr.resume();
  const lines = createInterface({ input: terminal.stdout });
  const code = main(['mock', ...(words.includes('--port') ? [] : ['--port', '0']), ...words], terminal);
  const [readyLine] = (await once(lines, 'line')) as [string];
  return {
    readyLine,
    url: /http:[^"\s]*/.exec(readyLine)?.[0] ?? '',
    /** Ends it like a signal does, and returns the exit code. */
    end: () => {
      ending.abort();
      return code;
    },
  };
}
