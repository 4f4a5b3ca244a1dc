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

/** For screen readers. */
export function announce(text: string): void {
  const place = document.getElementById('announce');
  if (place) place.textContent = text;
}

const QUIET_MS = 5_000;

/** Announces the sum at intervals: an announcement for each event would be too many. */
export function createCountAnnouncer(words: (many: number) => string): () => void {
  let many = 0;
  const tell = later(QUIET_MS, () => {
    announce(words(many));
    many = 0;
  });
  return () => {
    many += 1;
    tell();
  };
}

interface Pressed {
  readonly key: string;
  readonly target: HTMLElement;
  /** Whether a field for text or a choice has the focus. */
  readonly isWriting: boolean;
  readonly isInList: boolean;
}

/** Unless a dialog is open. `commandOf` returns what a key does here, if anything. */
export function listenToKeys(commandOf: (pressed: Pressed) => (() => void) | undefined): void {
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (!(target instanceof HTMLElement)) return;
    const isWriting = target.matches('input:not([type=checkbox]), select, textarea');
    const command = commandOf({ key, target, isWriting, isInList: target.closest('.list') !== null });
    if (!command) return;
    event.preventDefault();
    command();
  });
}
