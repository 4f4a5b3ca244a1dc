import { constants } from 'node:os';
import type { Outbox } from '../outbox/interface.js';
import { systemClock, withTimeout } from '../platform/time.js';

/** A signal that asks a process to end. */
export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR2' | 'SIGBREAK';

/** What `stopOnSignals` takes beside the outbox. */
export interface StopOnSignalsOptions {
  /** Which signals end the process. Default: `SIGTERM` and `SIGINT`. */
  signals?: readonly StopSignal[] | undefined;
  /**
   * Milliseconds for everything; then nothing of it is waited for any more, and the exit code is 1. Shorter than the time after which
   * whoever sent the signal kills (30 seconds in Kubernetes, 10 in Docker). It replaces the `stopTimeoutMs` of the outbox: attempts on
   * their way have what `beforeStop` leaves of it, less 2 seconds. Default: 8,000.
   */
  timeoutMs?: number | undefined;
  /** Ends the intake first: closes servers, pauses consumers. It has half of the time. */
  beforeStop?: (() => unknown) | undefined;
  /** Gives back what the outbox stood on: ends pools, flushes telemetry. */
  afterStop?: (() => unknown) | undefined;
}

const SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];
const TIMEOUT_MS = 8_000;
/** What an outbox needs to write how its attempts ended, after those were cut off. */
const MARGIN_MS = 2_000;

/** Something that must stop before the process ends, and the signals at which it does. */
interface Registered {
  readonly signals: ReadonlySet<StopSignal>;
  /** Stops it and gives the exit code; never rejects, and takes no longer than it may. */
  end(): Promise<number>;
}

const registered = new Set<Registered>();
/** What is on its way to its end, since a signal came. */
let ends: Promise<number>[] | undefined;

/**
 * Ends the process gracefully when a signal asks for it: the outbox claims nothing more, its attempts on their way end, and
 * those that take too long are cut off; their reports stay in the store, in doubt, and the next worker sends them once
 * their lease is over. Nothing is lost by a process that is killed instead. Exit code: 0; 1 where something failed or took
 * too long; at a second signal at once, with 128 and the signal's number. Returns how to take the listeners off.
 *
 * Called for several outboxes, the signal of any stops them all at the same time, each with its own options, and the process
 * ends once the last of them has stopped or its time is over. Outboxes that share what `afterStop` gives back (a pool) are
 * given together, as a list.
 *
 * @example
 * ```ts
 * stopOnSignals(outbox, { beforeStop: () => server.close(), afterStop: () => pool.end(), timeoutMs: 25_000 });
 * ```
 */
export function stopOnSignals(outbox: Pick<Outbox, 'stop'> | readonly Pick<Outbox, 'stop'>[], options: StopOnSignalsOptions = {}): () => void {
  const { signals = SIGNALS, timeoutMs = TIMEOUT_MS, beforeStop, afterStop } = options;
  const outboxes = 'stop' in outbox ? [outbox] : [...outbox];

  async function end(): Promise<number> {
    const deadline = systemClock.now() + timeoutMs;
    const left = () => Math.max(0, deadline - systemClock.now());
    let code = 0;
    const step = async (what: string, milliseconds: number, work: () => unknown) => {
      const { ended, ...result } = await withTimeout(work, { clock: systemClock, milliseconds });
      if (ended === 'done') return;
      code = 1;
      const why = 'error' in result ? describeError(result.error) : `not done within ${Math.round(milliseconds)} ms`;
      process.stderr.write(`location-sdk: ${what}: ${why}\n`);
    };
    if (beforeStop) await step('beforeStop', left() / 2, beforeStop);
    const stop = (one: Pick<Outbox, 'stop'>) => step('the outbox', left(), () => one.stop({ timeoutMs: Math.max(left() / 2, left() - MARGIN_MS) }));
    await Promise.all(outboxes.map(stop));
    if (afterStop) await step('afterStop', left(), afterStop);
    return code;
  }

  const one: Registered = { signals: new Set(signals), end };
  registered.add(one);
  for (const signal of one.signals) if (!process.listeners(signal).includes(onSignal)) process.on(signal, onSignal);
  // Too late to wait for a signal: the next one ends the process at once.
  ends?.push(end());
  return () => {
    registered.delete(one);
    for (const signal of one.signals) if (![...registered].some((other) => other.signals.has(signal))) process.off(signal, onSignal);
  };
}

function onSignal(signal: NodeJS.Signals): void {
  if (ends) process.exit(128 + constants.signals[signal]);
  ends = [...registered].map(({ end }) => end());
  void exitAfter(ends);
}

/** Ends the process after all that is in the list, and what is added to it meanwhile. */
async function exitAfter(all: readonly Promise<number>[]): Promise<void> {
  let code = 0;
  for (const end of all) code = Math.max(code, await end);
  process.exit(code);
}

/** An error of the user's libraries by its name and code alone: a database's own holds values of rows. */
function describeError(error: unknown): string {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string' && /^[\w.-]{1,64}$/.test(word));
  return `failed with ${words.length > 0 ? words.join(' ') : 'what is no error'}`;
}
