import { terminal } from '../../terminal.js';

const REDRAWN_MS = 200;
/** The time between two printed lines if standard error is not a terminal. */
const TOLD_MS = 10_000;
const CLEAR = '\r\u001b[K';
const WIDTH = 24;

const whole = (number: number): string => Math.round(number).toLocaleString('en');

/** The remaining time, such as `2 min 5 s`. */
function timeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
}

/** Shows a bar on standard error, with rate and remaining time. If standard error is not a terminal, prints a line every ten seconds. */
export function startBar(what: string, size: number) {
  const { stderr } = terminal();
  const began = Date.now();
  let shownAt = began;
  let drawn = false;
  return {
    /** Shows the number of finished bytes and lines. */
    show(bytes: number, lines: number): void {
      const now = Date.now();
      if (now - shownAt < (stderr.isTTY ? REDRAWN_MS : TOLD_MS)) return;
      shownAt = now;
      const seconds = (now - began) / 1_000;
      const share = Math.min(1, bytes / size);
      const left = share > 0 ? `, ${timeLeft((seconds * (1 - share)) / share)} left` : '';
      const text = `${Math.floor(share * 100)} %, ${whole(lines)} lines, ${whole(lines / seconds)} a second${left}`;
      if (!stderr.isTTY) stderr.write(`${what}: ${text}\n`);
      else {
        drawn = true;
        const filled = Math.round(share * WIDTH);
        stderr.write(`${CLEAR}${what} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${text}`);
      }
    },
    end(): void {
      if (drawn) stderr.write(CLEAR);
    },
  };
}
