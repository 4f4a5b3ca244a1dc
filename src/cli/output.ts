import { printable } from '../platform/printable.js';
import { terminal } from './terminal.js';

export { printable };

/** Exit codes: what is wrong with the call is told apart from what did not work. */
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

/** Every line that a command prints goes through here. */
const linesOf = (text: string): string => text.split('\n').map(printable).join('\n');

export const say = (text: string): void => void terminal().stdout.write(`${linesOf(text)}\n`);
export const remark = (text: string): void => void terminal().stderr.write(`${linesOf(text)}\n`);

const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

/**
 * Writes texts as fast as whoever reads takes them, and stops where nobody reads any more. With `exact`, into a file or a pipe they go as they
 * are: the lines of the log of receipts are checked letter by letter.
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

/** An address that stands where it is not expected may hold a password. */
const withoutAddresses = (text: string): string =>
  text.replace(/(postgres(?:ql)?:\/\/)[^\s'"…]+/gi, '$1…').replace(/([a-z][a-z0-9+.-]*:\/\/)\S*@[^\s'"]*/gi, '$1…');

/** One line, whatever the text holds. */
export const complain = (text: string): void => remark(`location-sdk: ${withoutAddresses(text.replace(/\s*[\r\n]+\s*/g, ' '))}`);
