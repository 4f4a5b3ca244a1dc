import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for the files of tests, which is removed at the end of the run. */
    runFolder: string;
  }
}

/** The file that lists the cases left out. */
export const SKIPPED_FILE = 'left.jsonl';

interface Left {
  readonly what: string;
  readonly done: number;
  readonly whole: number;
}

/** One line for each series of cases, for any number of test files or projects that reported it. */
export function skippedLines(notes: string): string[] {
  const left = new Map<string, string>();
  for (const note of notes.split('\n').filter(Boolean)) {
    const { what, done, whole } = JSON.parse(note) as Left;
    left.set(what, `  ${what}: ${(whole - done).toLocaleString('en')} of ${whole.toLocaleString('en')} cases`);
  }
  return left.size === 0 ? [] : ['Left for .ci/run (TEST_CASES=all runs them here):', ...left.values()];
}

/** Before the first test and after the last one, in any project. */
export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-tests-'));
  provide('runFolder', folder);
  return () => {
    const notes = join(folder, SKIPPED_FILE);
    for (const line of skippedLines(existsSync(notes) ? readFileSync(notes, 'utf8') : '')) console.log(line);
    rmSync(folder, { recursive: true, force: true });
  };
}
