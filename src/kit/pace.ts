/** Runs `work` soon, and at most once per `milliseconds`. */
export function later(milliseconds: number, work: () => unknown): () => void {
  let timer: unknown;
  let last = 0;
  return () => {
    if (timer !== undefined) return;
    timer = setTimeout(
      async () => {
        timer = undefined;
        last = Date.now();
        await Promise.resolve(work()).catch(() => undefined);
      },
      Math.max(0, last + milliseconds - Date.now()),
    );
  };
}

interface Announcer {
  (text: string): void;
  /** Counts requests and announces the sum at intervals: an announcement for each request would be too many. */
  later(words: (many: number) => string): void;
}

const QUIET_MS = 5_000;

/** For screen readers. */
export function createAnnouncer(place: HTMLElement): Announcer {
  let many = 0;
  let words = (_: number) => '';
  const tell = later(QUIET_MS, () => {
    place.textContent = words(many);
    many = 0;
  });
  const announce = (text: string) => {
    place.textContent = text;
  };
  return Object.assign(announce, {
    later(toWords: (many: number) => string) {
      many += 1;
      words = toWords;
      tell();
    },
  });
}
