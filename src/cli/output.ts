import { terminal } from './terminal.js';

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

/** Characters that would steer the terminal, or turn the direction of what is read: references and answers come from outside. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');

/** A text on one line, with nothing in it that a terminal obeys. The escapes are those of JSON, so that JSON keeps its meaning. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

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
