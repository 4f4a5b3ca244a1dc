/** Runs `work` soon, and at most once in `milliseconds`. */
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
  /** Counts, and tells the sum now and then: nobody wants to hear of each request. */
  later(words: (many: number) => string): void;
}

const QUIET_MS = 5_000;

/** For whoever hears the page. */
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
