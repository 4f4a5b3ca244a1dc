import { constants } from 'node:os';
import { ConfigurationError } from '../errors/errors.js';
import type { Outbox } from '../outbox/interface.js';
import { systemClock, withTimeout } from '../platform/time.js';
import { isAnything, isFunction, must, optional, readOptions } from '../schema/option-rules.js';

/** A signal that asks a process to end. */
export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR2' | 'SIGBREAK';

/** The options of `stopOnSignals`. */
export interface StopOnSignalsOptions {
  /** The signals that end the process. Default: `SIGTERM` and `SIGINT`. */
  signals?: readonly StopSignal[] | undefined;
  /**
   * The limit for the whole shutdown, in milliseconds. After it the process ends with exit code 1. Choose less than the
   * time after which the sender of the signal kills the process (30 seconds in Kubernetes, 10 in Docker). It replaces
   * the outbox's `stopTimeoutMs`: running attempts get the time that `beforeStop` leaves, minus 2 seconds. Default:
   * 8,000.
   */
  timeoutMs?: number | undefined;
  /** Stops the intake first: closes servers, pauses consumers. It has half of the time. */
  beforeStop?: (() => unknown) | undefined;
  /** Releases the resources of the outbox: ends pools, flushes telemetry. */
  afterStop?: (() => unknown) | undefined;
}

const SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];
const TIMEOUT_MS = 8_000;

const isSignal = (value: unknown) => typeof value === 'string' && Object.hasOwn(constants.signals, value);
const optionTable = {
  signals: optional(must('a list of signals, such as SIGTERM', (value) => Array.isArray(value) && value.every(isSignal))),
  timeoutMs: optional(isAnything),
  beforeStop: optional(isFunction),
  afterStop: optional(isFunction),
};
/** The time that an outbox needs to store the results of attempts that were cancelled. */
const MARGIN_MS = 2_000;

/** A part that must stop before the process ends, and the signals at which it stops. */
interface Registered {
  readonly signals: ReadonlySet<StopSignal>;
  /** Stops it and returns the exit code. Never rejects, and keeps its time limit. */
  end(): Promise<number>;
}

const registered = new Set<Registered>();
/** The parts that are stopping, since a signal came. */
let ends: Promise<number>[] | undefined;

/**
 * Ends the process gracefully when a signal asks for it. The outbox claims no more reports and lets its running
 * attempts end. Attempts that take too long are cancelled: their reports stay in the store, in doubt, and the next
 * worker sends them when their lease has expired. No report is lost if the process is killed instead. Exit code: 0; 1
 * if a part failed or took too long. A second signal ends the process at once, with 128 plus the signal's number.
 * Returns a function that removes the listeners.
 *
 * If it is called for several outboxes, the signal of any of them stops all at the same time, each with its own
 * options. The process ends when the last of them has stopped or its time is over. Pass outboxes that share the
 * resources of `afterStop` (a pool) together, as a list.
 *
 * @example
 * ```ts
 * stopOnSignals(outbox, { beforeStop: () => server.close(), afterStop: () => pool.end(), timeoutMs: 25_000 });
 * ```
 */
export function stopOnSignals(outbox: Pick<Outbox, 'stop'> | readonly Pick<Outbox, 'stop'>[], options: StopOnSignalsOptions = {}): () => void {
  const problem = readOptions('stopOnSignals', optionTable, options).problem;
  if (problem !== undefined) throw new ConfigurationError(problem);
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
  // Shutdown cannot wait for another signal: the next one ends the process at once.
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

/** Ends the process after all parts in the list, including those added meanwhile. */
async function exitAfter(all: readonly Promise<number>[]): Promise<void> {
  let code = 0;
  for (const end of all) code = Math.max(code, await end);
  process.exit(code);
}

/** The name and code of an error of the user's libraries. A database's message may contain values of rows. */
function describeError(error: unknown): string {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string' && /^[\w.-]{1,64}$/.test(word));
  return `failed with ${words.length > 0 ? words.join(' ') : 'a value that is not an error'}`;
}
