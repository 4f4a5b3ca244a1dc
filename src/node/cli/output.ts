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

/** One line, whatever the text holds. */
export const complain = (text: string): void => remark(`location-sdk: ${text.replace(/\s*[\r\n]+\s*/g, ' ')}`);
