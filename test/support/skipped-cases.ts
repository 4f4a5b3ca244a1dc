import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestModule, TestProject } from 'vitest/node';

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

/**
 * One line for each file with tests left out and for each series of cases, for any number of test files or projects
 * that reported it.
 */
export function skippedLines(notes: string, slow: readonly string[] = []): string[] {
  const left = new Map<string, string>();
  for (const note of notes.split('\n').filter(Boolean)) {
    const { what, done, whole } = JSON.parse(note) as Left;
    left.set(what, `  ${what}: ${(whole - done).toLocaleString('en')} of ${whole.toLocaleString('en')} cases`);
  }
  return left.size + slow.length === 0 ? [] : ['Left for npm run test:all:', ...slow, ...left.values()];
}

/** The tests with the tag `slow` that a run left out, counted in each file. */
function slowLines(modules: readonly TestModule[]): string[] {
  return modules.flatMap(({ relativeModuleId, children }) => {
    const tests = [...children.allTests()];
    const left = tests.filter(({ options }) => options.mode === 'skip' && options.tags?.includes('slow'));
    return left.length === 0
      ? []
      : [`  ${relativeModuleId}: ${left.length === tests.length ? 'all' : `${left.length} of ${tests.length}`} tests`];
  });
}

/** Before the first test and after the last one, in any project. */
export default function setup({ provide, vitest }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-tests-'));
  provide('runFolder', folder);
  return () => {
    const notes = join(folder, SKIPPED_FILE);
    for (const line of skippedLines(
      existsSync(notes) ? readFileSync(notes, 'utf8') : '',
      slowLines(vitest.state.getTestModules()),
    ))
      console.log(line);
    rmSync(folder, { recursive: true, force: true });
  };
}
