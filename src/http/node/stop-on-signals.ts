import { constants } from 'node:os';
import { ConfigurationError, requireOptions } from '../../core/errors/errors.js';
import { systemClock, withTimeout } from '../../core/platform/time.js';
import { hasMethods, isFunction, isLimit, must, option, optional } from '../../core/schema/option-rules.js';
import type { Outbox } from '../../outbox/interface.js';

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

const isSignal = (value: unknown) => typeof value === 'string' && Object.hasOwn(constants.signals, value);
const optionTable = {
  signals: option<readonly StopSignal[]>(
    must('a list of signals, such as SIGTERM', (value) => Array.isArray(value) && value.every(isSignal)),
    ['SIGTERM', 'SIGINT'],
  ),
  timeoutMs: option(isLimit, 8_000),
  beforeStop: optional<() => unknown>(isFunction),
  afterStop: optional<() => unknown>(isFunction),
};
/** For an outbox to store the results of cancelled attempts. */
const MARGIN_MS = 2_000;
/**
 * The time in which a second signal belongs to the same stop: a terminal signals the whole process group and npm or pm2
 * pass the signal on, and NestJS repeats it after its own shutdown hooks.
 */
const SAME_STOP_MS = 2_000;

/** The present registration, shared by all copies of this package: the first process.exit would end the others. */
const KEY = Symbol.for('location-sdk.stop-on-signals');
const holder = globalThis as { [KEY]?: object | undefined };

/**
 * Ends the process gracefully when a signal asks for it. The outbox claims no more reports and lets its running
 * attempts end. Attempts that take too long are cancelled: their reports stay in the store, in doubt, and the next
 * worker sends them when their lease has expired. No report is lost if the process is killed instead. Exit code: 0; 1
 * if a part failed or took too long. A second signal ends the process at once, with 128 plus the signal's number; within
 * 2 seconds it is the same stop.
 * Returns a function that removes the listeners.
 *
 * Pass several outboxes as a list: they stop at the same time, and `afterStop` runs after the last of them. A second
 * call would end the process before the first one is done, so it throws a `ConfigurationError`.
 *
 * @example
 * ```ts
 * const beforeStop = () => new Promise((done) => server.close(done));
 * stopOnSignals(outbox, { beforeStop, afterStop: () => pool.end(), timeoutMs: 25_000 });
 * ```
 */
export function stopOnSignals(
  outbox: Pick<Outbox, 'stop'> | readonly Pick<Outbox, 'stop'>[],
  options: StopOnSignalsOptions = {},
): () => void {
  const { complete } = requireOptions('stopOnSignals', optionTable, options);
  const outboxes: readonly Pick<Outbox, 'stop'>[] = [outbox].flat();
  if (outboxes.length === 0 || !outboxes.every((one) => hasMethods(one, ['stop'])))
    throw new ConfigurationError(
      'stopOnSignals: expected what createOutbox returns, or a list of such outboxes, as the first argument. It listens to no signal.',
    );
  const { timeoutMs, beforeStop, afterStop } = complete;
  const signals = new Set(complete.signals);
  if (holder[KEY])
    throw new ConfigurationError('stopOnSignals is called already: pass all outboxes to one call, as a list.');
  let endingSince: number | undefined;

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
    const stop = (one: Pick<Outbox, 'stop'>) =>
      step('the outbox', left(), () => one.stop({ timeoutMs: Math.max(left() / 2, left() - MARGIN_MS) }));
    await Promise.all(outboxes.map(stop));
    if (afterStop) await step('afterStop', left(), afterStop);
    return code;
  }

  // Shutdown cannot wait for another signal: a later one ends the process at once.
  const onSignal = (signal: NodeJS.Signals) => {
    if (endingSince === undefined) {
      endingSince = performance.now();
      void end().then((code) => process.exit(code));
    } else if (performance.now() - endingSince >= SAME_STOP_MS) process.exit(128 + constants.signals[signal]);
  };
  holder[KEY] = onSignal;
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    if (holder[KEY] === onSignal) holder[KEY] = undefined;
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** The name and code of an error of the user's libraries. A database's message may contain values of rows. */
function describeError(error: unknown): string {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string' && /^[\w.-]{1,64}$/.test(word));
  return `failed with ${words.length > 0 ? words.join(' ') : 'a value that is not an error'}`;
}
