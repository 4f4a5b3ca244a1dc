import { say } from '../output.js';
import type { Line, Status } from './run.js';

const MARKS: Readonly<Record<Status, string>> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', skip: 'skip' };

/** Removes control characters, since a text of a gateway could steer the terminal. */
const plain = (text: string): string => text.replace(/\p{C}+/gu, ' ');

const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/** A longer text of a gateway is cut. The report contains all of it. */
const MOST_SHOWN = 240;
const cut = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

/** Prints a line at once, so that a user sees that the check is waiting for the next one. */
export function printLine({ section, status, name, text, advice }: Line, before: string | undefined): void {
  if (section !== before) say(`\n${section}`);
  say(`  ${MARKS[status]}  ${cut(plain(`${name}: ${text}`))}`);
  if (advice) say(`        -> ${plain(advice)}`);
}

export function tallyOf(lines: readonly Line[]): Readonly<Record<Status, number>> {
  const count = (status: Status) => lines.filter((line) => line.status === status).length;
  return { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') };
}

export const describeTally = (lines: readonly Line[]): string => {
  const { ok, warn, fail, skip } = tallyOf(lines);
  return `${ok} ok, ${warn} ${warn === 1 ? 'warning' : 'warnings'}, ${fail} failed, ${skip} left out`;
};

/** Prints the options that this gateway needs. */
export function printOptions(source: string, saved: string | undefined): void {
  if (source !== '') {
    say('\nOptions to copy into createClient, since this gateway differs from an assumption:');
    say(plainLines(source));
  }
  if (saved !== undefined) say(`\nOptions: ${saved}, for createClient({ gateways, ...fromCheck })`);
  else if (source !== '') say('To write them to a file: --save from-check.mjs');
}

export function printTally(lines: readonly Line[], file: string | undefined): void {
  say(`\n${describeTally(lines)}.`);
  if (file !== undefined) say(`Report: ${file}`);
  else say('To write a report with every answer and every gap of the specification: --report check.md');
}
