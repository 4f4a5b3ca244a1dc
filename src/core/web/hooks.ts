import type { Logger } from '../platform/logger.js';
import { type Clock, type TimedResult, withTimeout } from '../platform/time.js';

const LETTERS = 'abcdefghijklmnop';

/** The id that leads from a page's answer to the operator's log. Letters only, since a page masks numbers. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => LETTERS[byte % LETTERS.length]).join('');

export function noteFault(logger: Required<Logger>, what: string): string {
  const id = newId();
  logger.error(`${id}: ${what}`);
  return id;
}

const FRAME = /([\w.-]+\.[cm]?[jt]sx?:[0-9]+:[0-9]+)\)?$/;

/**
 * The part of a thrown value that may be logged: its kind and where it comes from. Its message may contain any data.
 */
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

export const callHook = <T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  milliseconds: number,
  { clock, hookTimeoutMs }: { readonly clock: Clock; readonly hookTimeoutMs: number },
) => withTimeout(work, { clock, milliseconds: Math.min(hookTimeoutMs, milliseconds) });

/** In words for the log. */
export const describeUnfinished = (ended: Exclude<TimedResult<unknown>, { ended: 'done' }>): string =>
  ended.ended === 'failed' ? describeThrown(ended.error) : 'did not answer in time';

const MOST_NOTES = 10;
const EVERY_MS = 60_000;

/**
 * Logs warnings that any visitor can cause, such as the errors of `authorize` without a session: each thing once, and
 * at most ten. With a clock, this starts again every minute, since what failed once may fail again.
 */
export function createNotes(logger: Required<Logger>, clock?: Clock): (line: string, thing?: string) => void {
  const noted = new Set<string>();
  let since = clock?.now() ?? 0;
  return (line, thing = line) => {
    if (clock && clock.now() - since >= EVERY_MS) {
      noted.clear();
      since = clock.now();
    }
    if (noted.has(thing) || noted.size >= MOST_NOTES) return;
    noted.add(thing);
    logger.warn(line);
  };
}
