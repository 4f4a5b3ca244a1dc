import { terminal } from '../terminal.js';

const EVERY_MS = 200;
const CLEAR = '\r\u001b[K';

/** Shows a count on standard error during long work, if standard error is a terminal. */
export function startProgress(what: string) {
  const { stderr } = terminal();
  let shownAt = Date.now();
  let shown = false;
  return {
    count(done: number): void {
      if (!stderr.isTTY || Date.now() - shownAt < EVERY_MS) return;
      shownAt = Date.now();
      shown = true;
      stderr.write(`${CLEAR}${what}: ${done.toLocaleString('en')}`);
    },
    end(): void {
      if (shown) stderr.write(CLEAR);
    },
  };
}

export type Progress = ReturnType<typeof startProgress>;

/** Yields the same items, and counts them. */
export async function* counted<T>(items: AsyncIterable<T>, progress: Progress): AsyncGenerator<T> {
  let done = 0;
  for await (const item of items) {
    done += 1;
    progress.count(done);
    yield item;
  }
}
