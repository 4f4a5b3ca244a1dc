import { remark } from '../output.js';
import { duration, grouped } from './text.js';

/** The time between two lines. */
const PRINTED_MS = 10_000;

const whole = (number: number): string => grouped(Math.round(number));

/** Prints the share of a file's bytes that are done, with rate and remaining time: a line every ten seconds. */
export function startProgress(what: string, size: number): (bytes: number, lines: number) => void {
  const began = Date.now();
  let printedAt = began;
  return (bytes, lines) => {
    const now = Date.now();
    if (now - printedAt < PRINTED_MS) return;
    printedAt = now;
    const seconds = (now - began) / 1_000;
    const share = Math.min(1, bytes / size);
    const left = share > 0 ? `, ${duration(((now - began) * (1 - share)) / share)} left` : '';
    remark(`${what}: ${Math.floor(share * 100)} %, ${whole(lines)} lines, ${whole(lines / seconds)} a second${left}`);
  };
}
