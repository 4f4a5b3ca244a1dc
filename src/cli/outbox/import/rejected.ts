import { accessSync, constants, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Papa from 'papaparse';
import { printable, withoutFormula } from '../../../core/platform/messages.js';
import { operations } from '../../../core/protocol/operations.js';
import { codeOf, EXIT, Failure, remark } from '../../output.js';
import { grouped } from '../text.js';
import type { LineProblem } from './columns.js';
import type { ImportLine } from './lines.js';

/** A file with more refused lines is probably the wrong file. */
const MOST_LINES = 100_000;
const LONGEST_REFERENCE = 200;

const harmless = (text: string): string => withoutFormula(printable(text));

/**
 * Lists the refused lines of a file in another one for people, with no other value of a report than the reference.
 * Fails at once if the file cannot be written.
 */
export function createRejected(path: string) {
  const file = join(dirname(path), `${basename(path, '.csv')}.rejected.csv`);
  const cannotWrite = (error: unknown, exitCode: number) =>
    new Failure(
      `the list of refused lines, ${file}, cannot be written (${codeOf(error)}): copy the file to a folder with room that can be written to`,
      exitCode,
    );
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw cannotWrite(error, EXIT.usage);
  }
  const counts = new Map<string, number>();
  const refused = new Set<number>();
  const texts = ['line,field,reason,reference\n'];
  const kinds = () =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, 10)
      .map(([problem, lines]) => ({ problem, lines }));

  return {
    file,
    get lines() {
      return refused.size;
    },
    has: ({ line }: Pick<ImportLine, 'line'>): boolean => refused.has(line),
    add(
      { line, payload, operation }: Pick<ImportLine, 'line' | 'payload' | 'operation'>,
      problems: readonly LineProblem[],
    ): void {
      if (refused.size === MOST_LINES)
        throw new Failure(`more than ${grouped(MOST_LINES)} lines are wrong: check that it is the right file`);
      refused.add(line);
      for (const { field, reason } of problems) {
        const kind = field === '' ? reason : `${field}: ${reason}`;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      const value = operation && payload?.[operations[operation].reference];
      const reference = typeof value === 'string' && value.length <= LONGEST_REFERENCE ? value : '';
      const rows = problems.map((one) => [String(line), ...[one.field, one.reason, reference].map(harmless)]);
      texts.push(`${Papa.unparse(rows, { newline: '\n' })}\n`);
    },
    kinds,
    tell(lines: number): void {
      if (refused.size === 0) return;
      remark(`\n${grouped(refused.size)} of ${grouped(lines)} lines are rejected; ${file} lists them:`);
      for (const { problem, lines: many } of kinds()) remark(`  ${grouped(many)} × ${printable(problem)}`);
    },
    /** Replaces the list of an earlier run. Without a refused line, there is no list. */
    write(): void {
      try {
        rmSync(file, { force: true });
        // Always a new file that only this user can read, so no link of another program is followed.
        if (refused.size > 0) writeFileSync(file, texts.join(''), { flag: 'wx', mode: 0o600 });
      } catch (error) {
        throw cannotWrite(error, EXIT.failed);
      }
    },
  };
}

export type Rejected = ReturnType<typeof createRejected>;
