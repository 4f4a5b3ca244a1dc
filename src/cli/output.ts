import { printable } from '../platform/printable.js';
import { terminal } from './terminal.js';

export { printable };

/** Exit codes: 1 for work that failed, 2 for a wrong call. */
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

/** Makes every line of an output safe to print. */
const linesOf = (text: string): string => text.split('\n').map(printable).join('\n');

export const say = (text: string): void => void terminal().stdout.write(`${linesOf(text)}\n`);
export const remark = (text: string): void => void terminal().stderr.write(`${linesOf(text)}\n`);

const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

/**
 * Writes texts at the speed of the reader, and stops when the reader closes the stream. With `exact`, a file or a pipe gets the
 * unchanged texts, since every character of the log of receipts is checked.
 */
export async function sayAll(texts: AsyncIterable<string>, { exact = false } = {}): Promise<void> {
  const { stdout } = terminal();
  const isRaw = exact && !isTerminal(stdout);
  for await (const text of texts) {
    if (stdout.destroyed) return;
    if (!stdout.write(isRaw ? text : linesOf(text)))
      await new Promise<void>((resolve) => ['drain', 'close', 'error'].forEach((name) => void stdout.once(name, resolve)));
  }
}

/** Removes addresses, since an address in an unexpected place may contain a password. */
const withoutAddresses = (text: string): string =>
  text.replace(/(postgres(?:ql)?:\/\/)[^\s'"…]+/gi, '$1…').replace(/([a-z][a-z0-9+.-]*:\/\/)\S*@[^\s'"]*/gi, '$1…');

/** Prints an error as one line, even if the text contains line breaks. */
export const complain = (text: string): void => remark(`location-sdk: ${withoutAddresses(text.replace(/\s*[\r\n]+\s*/g, ' '))}`);
