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

// Whoever reads may have gone; that ends nothing.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

export const say = (text: string): void => void process.stdout.write(`${text}\n`);
export const remark = (text: string): void => void process.stderr.write(`${text}\n`);

/** Resolves once all that was said has been handed on, or nobody reads any more. */
export const allSaid = (): Promise<unknown> =>
  Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));

/** Writes texts as fast as whoever reads takes them, and stops where nobody reads any more. */
export async function sayAll(texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(text))
      await new Promise<void>((resolve) => ['drain', 'close', 'error'].forEach((name) => void process.stdout.once(name, resolve)));
  }
}

/** An address that stands where it is not expected may hold a password. */
const withoutAddresses = (text: string): string =>
  text.replace(/(postgres(?:ql)?:\/\/)[^\s'"…]+/gi, '$1…').replace(/([a-z][a-z0-9+.-]*:\/\/)\S*@[^\s'"]*/gi, '$1…');

/** One line, whatever the text holds. */
export const complain = (text: string): void => remark(`location-sdk: ${withoutAddresses(text.replace(/\s*[\r\n]+\s*/g, ' '))}`);
