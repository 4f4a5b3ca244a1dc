import { remark } from '../output.js';
import { duration, grouped } from './text.js';

const PRINTED_MS = 10_000;

const whole = (number: number): string => grouped(Math.round(number));

/** Prints a line every ten seconds: the share of a file's bytes that are done, rate and remaining time. */
export function startProgress(what: string, size: number): (bytes: number, lines: number) => void {
  const began = Date.now();
  let printedAt = began;
  return (bytes, lines) => {
    const now = Date.now();
    if (now - printedAt < PRINTED_MS) return;
    printedAt = now;
    const elapsedMs = now - began;
    const share = Math.min(1, bytes / size);
    const rate = whole((lines * 1_000) / elapsedMs);
    const left = duration((elapsedMs * (1 - share)) / share);
    remark(`${what}: ${Math.floor(share * 100)} %, ${whole(lines)} lines, ${rate} a second, ${left} left`);
  };
}
