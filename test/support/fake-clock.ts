import { type Clock, systemClock } from '../../src/core/platform/time.js';

/**
 * Work outside of JavaScript: cryptography has its own threads, sockets are in the kernel. Time must not jump
 * meanwhile.
 */
const underWay = new Set<symbol>();

/** Stops the time until it is released. The release may be called several times. */
export function holdClocks(): () => void {
  const hold = Symbol('hold');
  underWay.add(hold);
  return () => void underWay.delete(hold);
}
for (const name of ['decrypt', 'deriveKey', 'digest', 'encrypt', 'importKey', 'sign'] as const) {
  const original: (...given: never[]) => Promise<unknown> = crypto.subtle[name].bind(crypto.subtle);
  const held = (...given: never[]) => original(...given).finally(holdClocks());
  Object.defineProperty(crypto.subtle, name, { value: held, configurable: true, writable: true });
}

/** All work that waits for no timer has gone on once this resolves. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A clock that moves only when all work waits for it, or when the test moves it. */
export class FakeClock implements Clock {
  #now: number;
  #timers = new Map<number, { at: number; callback: () => void }>();
  #next = 1;
  /** The lengths of all waits. */
  readonly waits: number[] = [];

  constructor(now = 1_795_161_600_000) {
    // Removes stops that an earlier test of this process has left.
    underWay.clear();
    this.#now = now;
  }

  now = (): number => this.#now;

  setTimeout = (callback: () => void, milliseconds: number): number => {
    this.waits.push(milliseconds);
    this.#timers.set(this.#next, { at: this.#now + milliseconds, callback });
    this.#next += 1;
    return this.#next - 1;
  };

  clearTimeout = (timer: unknown): void => void this.#timers.delete(timer as number);

  get pending(): number {
    return this.#timers.size;
  }

  /** The same time, with the timers of the system. */
  get withRealTimers(): Clock {
    return { ...systemClock, now: this.now };
  }

  /** Changes the time. No timer fires. */
  advance = (milliseconds: number): void => {
    this.#now += milliseconds;
  };

  /** Lets time pass: each timer fires when it is due. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await turn();
    while ((this.#first()?.[1].at ?? Infinity) <= end) {
      this.#fireFirst();
      await turn();
    }
    this.#now = end;
    await turn();
  }

  /** Lets the promise settle. The clock jumps to the next timer whenever no other work runs. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const end = () => {
      settled = true;
    };
    promise.then(end, end);
    let idle = 0;
    for (let quiet = 0; !settled; quiet += 1) {
      await turn();
      if (underWay.size > 0) quiet = 0;
      if (quiet < 20 || settled) continue;
      // Work of another thread (a hash) waits for no timer of this clock.
      if (this.#timers.size === 0 && idle < 500) {
        idle += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      quiet = 0;
      this.#fireFirst();
    }
    return promise;
  }

  #first() {
    return [...this.#timers].sort(([, a], [, b]) => a.at - b.at)[0];
  }

  #fireFirst(): void {
    const first = this.#first();
    if (!first) throw new Error('no timer is left, and the promise has not settled');
    const [timer, { at, callback }] = first;
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, at);
    callback();
  }
}
