import type { Clock } from '../../../src/entries/index.js';

/** All work that waits for no timer has run once this resolves. */
const flush = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A clock that stands still until it is advanced. */
export class FakeClock implements Clock {
  #now = 1_795_161_600_000;
  #timers = new Map<number, { at: number; callback: () => void }>();
  #last = 0;

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, milliseconds: number): number {
    this.#last += 1;
    this.#timers.set(this.#last, { at: this.#now + milliseconds, callback });
    return this.#last;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number);
  }

  /** The number of waiting timers. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Advances the time. Due timers fire in their order. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await flush();
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) await this.#fire(next);
    this.#now = end;
    await flush();
  }

  /** Advances from timer to timer until the promise is settled. */
  async runUntilSettled<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => {
      settled = true;
    };
    promise.then(done, done);
    for (;;) {
      await flush();
      if (settled) return promise;
      const next = this.#next();
      if (!next) throw new Error('the promise waits, but no timer is left');
      await this.#fire(next);
    }
  }

  #next() {
    const [first] = [...this.#timers].sort(([a, { at }], [b, { at: other }]) => at - other || a - b);
    return first && { timer: first[0], ...first[1] };
  }

  async #fire({ timer, at, callback }: { timer: number; at: number; callback: () => void }) {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, at);
    callback();
    await flush();
  }
}
