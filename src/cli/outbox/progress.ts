import { terminal } from '../output.js';
import { duration, grouped } from './text.js';

const REDRAWN_MS = 200;
/** The time between two printed lines if standard error is not a terminal. */
const PRINTED_MS = 10_000;
const CLEAR = '\r\u001b[K';

const whole = (number: number): string => grouped(Math.round(number));

/**
 * Shows the share of a file's bytes that are done, with rate and remaining time: one line on a terminal, otherwise a
 * line every ten seconds.
 */
export function startProgress(what: string, size: number) {
  const { stderr } = terminal();
  const began = Date.now();
  let shownAt = began;
  return {
    show(bytes: number, lines: number): void {
      const now = Date.now();
      if (now - shownAt < (stderr.isTTY ? REDRAWN_MS : PRINTED_MS)) return;
      shownAt = now;
      const seconds = (now - began) / 1_000;
      const share = Math.min(1, bytes / size);
      const left = share > 0 ? `, ${duration(((now - began) * (1 - share)) / share)} left` : '';
      const text = `${Math.floor(share * 100)} %, ${whole(lines)} lines, ${whole(lines / seconds)} a second${left}`;
      stderr.write(stderr.isTTY ? `${CLEAR}${what}: ${text}` : `${what}: ${text}\n`);
    },
    end(): void {
      if (stderr.isTTY && shownAt > began) stderr.write(CLEAR);
    },
  };
}
