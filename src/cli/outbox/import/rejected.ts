import { accessSync, closeSync, constants, lstatSync, openSync, readSync, rmSync, type Stats, writeSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import Papa from 'papaparse';
import { withoutFormula } from '../../../platform/spreadsheet.js';
import { EXIT, Failure, printable } from '../../output.js';
import type { LineProblem } from './columns.js';

const HEAD = 'line,field,reason,reference\n';
/** The text that is collected before it is written, in characters. */
const BUFFERED = 64 * 1024;
/** At most this number of different problems is counted. */
const MOST_KINDS = 100;

/** `bets.rejected.csv` beside `bets.csv`. */
export const rejectedFileOf = (path: string): string => join(dirname(path), `${basename(path, extname(path))}.rejected.csv`);

/** Fails early if that file cannot be written, or was not written by this command. */
export function expectWritable(file: string): void {
  const folder = dirname(resolve(file));
  let found: Stats | undefined;
  try {
    accessSync(folder, constants.W_OK);
    found = lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw new Failure(
      `the list of refused lines, ${file}, cannot be written to this folder (${(error as NodeJS.ErrnoException).code ?? 'unknown'}): copy the imported file to another folder`,
    );
  }
  if (!found) return;
  const start = Buffer.alloc(HEAD.length);
  if (found.isFile()) {
    const descriptor = openSync(file, 'r');
    readSync(descriptor, start);
    closeSync(descriptor);
  }
  if (start.toString('latin1') !== HEAD) throw new Failure(`${file} was not written by this command, and an import would replace it: rename it`);
}

const harmless = (text: string): string => withoutFormula(printable(text));

/** Creates a file that only this user can read, since it contains references. It is always a new file, so no link of another program is followed. */
function openNew(file: string): number {
  rmSync(file, { force: true });
  return openSync(file, 'wx', 0o600);
}

/** Lists the refused lines in a file for people. The file contains line, field, reason and reference, and no other value of a report. */
export function createRejected(file: string, open = openNew) {
  const counts = new Map<string, number>();
  let descriptor: number | undefined;
  let pending = '';
  let lines = 0;

  function write(): void {
    // Checked again, since hours may have passed.
    if (descriptor === undefined) expectWritable(file);
    try {
      descriptor ??= open(file);
      const bytes = Buffer.from(pending);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      throw new Failure(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, EXIT.failed);
    }
    pending = '';
  }

  function count({ field, reason }: LineProblem): void {
    // Each repeat names another earlier line.
    const kind = `${field === '' ? '' : `${field}: `}${reason.replace(/^line \d+/, 'an earlier line')}`;
    if (counts.has(kind) || counts.size < MOST_KINDS) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  return {
    file,
    /** The number of refused lines. */
    get lines() {
      return lines;
    },
    add(line: number, problems: readonly LineProblem[], reference = ''): void {
      if (lines === 0) pending = HEAD;
      lines += 1;
      for (const problem of problems) count(problem);
      const rows = problems.map(({ field, reason }) => [String(line), harmless(field), harmless(reason), harmless(reference)]);
      pending += `${Papa.unparse(rows, { newline: '\n' })}\n`;
      if (pending.length > BUFFERED) write();
    },
    /** The problems, the most frequent first, with the number of lines. */
    kinds: () => [...counts].sort(([, a], [, b]) => b - a),
    /** Writes the remaining lines. Without a refused line, deletes the file of an earlier run. */
    end(): void {
      if (lines === 0) rmSync(file, { force: true });
      else if (pending !== '') write();
    },
    close(): void {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

export type Rejected = ReturnType<typeof createRejected>;
