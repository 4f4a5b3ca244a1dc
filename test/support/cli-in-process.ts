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

const openTerminal = (stdin: string | Iterable<Uint8Array> = '') => ({
  stdin: Readable.from(typeof stdin === 'string' ? [stdin] : stdin),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
});

const keep = (stream: PassThrough) => {
  const kept = { text: '' };
  stream.on('data', (piece) => {
    kept.text += piece;
  });
  return kept;
};

/**
 * Runs the command line to its end within this process, with its own streams. `stdin` is its input. `isTTY`: it writes
 * to a terminal. `canAsk`: its input is one.
 */
export async function runCli(
  words: readonly string[],
  stdin: string | Iterable<Uint8Array> = '',
  { isTTY = false, canAsk = false } = {},
): Promise<Ended> {
  const terminal = openTerminal(stdin);
  Object.assign(terminal.stdout, { isTTY });
  Object.assign(terminal.stdin, { isTTY: canAsk });
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

/** Starts a command that runs until it is ended, within this process, and waits for the line that says `http:`. */
export async function startCli(words: readonly string[]) {
  const ending = new AbortController();
  const terminal = { ...openTerminal(), signal: ending.signal };
  const err = keep(terminal.stderr);
  const out = keep(terminal.stdout);
  const lines = createInterface({ input: terminal.stdout });
  const code = main(words, terminal);
  let readyLine = '';
  for await (const line of lines) {
    readyLine = line;
    if (line.includes('http:')) break;
  }
  return {
    readyLine,
    url: /http:[^"\s]*/.exec(readyLine)?.[0] ?? '',
    /** All that it wrote until now. */
    written: () => out.text + err.text,
    /** Ends it like a signal does, and returns the exit code. */
    end: () => {
      ending.abort();
      return code;
    },
  };
}

/** Starts `location-sdk mock` on a free port. */
export const startMock = (...words: string[]) =>
  startCli(['mock', ...(words.includes('--port') ? [] : ['--port', '0']), ...words]);
