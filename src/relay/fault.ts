import type { Logger } from '../platform/logger.js';
import { type TimedResult, withTimeout } from '../platform/time.js';
import { broken, refuse } from './answers.js';
import type { RelayPlayer } from './options.js';
import type { RelaySettings } from './settings.js';

const LETTERS = 'abcdefghijklmnop';

/** The id that leads from a page's answer to the operator's log. Letters only, since a page masks numbers. */
export const newId = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => LETTERS[byte % LETTERS.length]).join('');

const FRAME = /([\w.-]+\.[cm]?[jt]sx?:[0-9]+:[0-9]+)\)?$/;

/** The part of a thrown value that may be logged: its kind and where it comes from. Its message may contain any data. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `threw a value that is not an error (${typeof thrown})`;
  try {
    const { name, code, stack } = thrown as Error & { code?: unknown };
    const shownCode = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` ${code}` : '';
    const shownName = typeof name === 'string' && /^[A-Z][A-Za-z]{1,40}$/.test(name) ? name : 'Error';
    const frames = String(stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .flatMap((line) => FRAME.exec(line)?.[1] ?? [])
      .slice(0, 4);
    return `threw ${shownName}${shownCode}${frames.length > 0 ? ` at ${frames.join(' < ')}` : ''} (its message is not shown, since it may hold personal data)`;
  } catch {
    return 'threw a value that cannot be read';
  }
}

/** Logs a failure and returns its id. */
export function noteFault(logger: Required<Logger>, what: string): string {
  const id = newId();
  logger.error(`${id}: ${what}`);
  return id;
}

type HookSettings = Pick<RelaySettings<RelayPlayer>, 'clock' | 'hookTimeoutMs' | 'logger'>;

/** Calls one of the operator's functions within its time limit. */
export function callHook<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  milliseconds: number,
  { clock, hookTimeoutMs }: HookSettings,
): Promise<TimedResult<T>> {
  return withTimeout(work, { clock, milliseconds: Math.min(hookTimeoutMs, milliseconds) });
}

/** The result of an operator's function, or an answer that reveals nothing to the page. */
export function settledValue<T>(ended: TimedResult<T>, name: string, logger: Required<Logger>): T {
  if (ended.ended === 'done') return ended.value;
  const what = ended.ended === 'failed' ? describeThrown(ended.error) : 'did not answer in time';
  return refuse(broken(noteFault(logger, `the option ${name} ${what}`)));
}
