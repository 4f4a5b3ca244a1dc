import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';

/** The streams of a command, and the signal that ends it. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Ends a command that runs until a signal. Without it, the signals of the process do. */
  readonly signal?: AbortSignal;
}

/** Several commands may run at once in one process, as in tests. Each has its own terminal. */
const current = new AsyncLocalStorage<Terminal | undefined>();

/** The terminal of the running command. Default: that of the process. */
export const terminal = (): Terminal => current.getStore() ?? process;

export const withTerminal = <T>(given: Terminal | undefined, work: () => T): T => current.run(given, work);
