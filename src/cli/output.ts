import { AsyncLocalStorage } from 'node:async_hooks';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { asRecord } from '../core/platform/as-record.js';
import { printable } from '../core/platform/messages.js';

/** The streams of a command, and the signal that ends it. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Ends a command that runs until a signal. Without it, the signals of the process do. */
  readonly signal?: AbortSignal;
}

/** Several commands may run at once in one process, as in tests. Each has its own terminal. */
const current = new AsyncLocalStorage<Terminal | undefined>();

export const terminal = (): Terminal => current.getStore() ?? process;

export const withTerminal = <T>(given: Terminal | undefined, work: () => T): T => current.run(given, work);

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Ends the command with one line on standard error. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.usage,
  ) {
    super(message);
  }
}

/** The system's code of an error, such as `ENOSPC`. */
export const codeOf = (error: unknown): string => {
  const { code } = asRecord(error);
  return typeof code === 'string' ? code : 'unknown';
};

const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

export const say = (text: string): void => void terminal().stdout.write(`${printableLines(text)}\n`);
export const remark = (text: string): void => void terminal().stderr.write(`${printableLines(text)}\n`);

const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

/** Asks on the terminal. Throws unless the answer is yes, and if there is no terminal to ask. */
export async function confirm(what: string): Promise<void> {
  const { stdin, stderr } = terminal();
  if (!isTerminal(stdin)) throw new Failure(`${what}. Nothing was changed: without a terminal to ask, add --yes`);
  stderr.write(`${printable(what)}. Go on? [y/N] `);
  for await (const line of createInterface({ input: stdin })) {
    if (/^y(es)?$/i.test(line.trim())) return;
    break;
  }
  throw new Failure('Nothing was changed', EXIT.failed);
}

/**
 * Writes texts at the speed of the reader, and stops when the reader closes the stream. With `exact`, a file or a pipe
 * gets the unchanged texts, since every character of the log of receipts is checked. With `toEnd`, the other texts are
 * read even then: the exit code depends on them.
 */
export async function sayAll(
  texts: AsyncIterable<string> | Iterable<string>,
  { exact = false, toEnd = false } = {},
): Promise<void> {
  const { stdout } = terminal();
  const isRaw = exact && !isTerminal(stdout);
  for await (const text of texts) {
    if (!stdout.writable && toEnd) continue;
    if (!stdout.writable) return;
    // A stream that has failed emits nothing more.
    if (!stdout.write(isRaw ? text : printableLines(text)) && stdout.writable) await changed(stdout);
  }
}

const changed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const names = ['drain', 'close', 'error'];
    const end = () => {
      for (const name of names) stream.off(name, end);
      resolve();
    };
    for (const name of names) stream.on(name, end);
  });

export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, { length }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, length);
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Removes addresses, since an address in an unexpected place may contain a password. */
const withoutAddresses = (text: string): string =>
  text.replace(/(postgres(?:ql)?:\/\/)[^\s'"…]+/gi, '$1…').replace(/([a-z][a-z0-9+.-]*:\/\/)\S*@[^\s'"]*/gi, '$1…');

export const complain = (text: string): void =>
  remark(`location-sdk: ${withoutAddresses(text.replace(/\s*[\r\n]+\s*/g, ' '))}`);
