import { terminal } from '../terminal.js';

const EVERY_MS = 200;
const CLEAR = '\r\u001b[K';

/** A line that counts on standard error while long work goes on; where that is no terminal, none. */
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

/** The same items, counted as they pass. */
export async function* counted<T>(items: AsyncIterable<T>, progress: Progress): AsyncGenerator<T> {
  let done = 0;
  for await (const item of items) {
    done += 1;
    progress.count(done);
    yield item;
  }
}
