// @module-tag slow: bundles, compiles or starts processes.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { whenInstalled } from './installed.js';
import { mainJob } from './main-job/list.cjs';

const directory = join((await whenInstalled()).project, 'main-job');
const names = mainJob({} as Parameters<typeof mainJob>[0]).map(({ name }) => name);

beforeAll(() => cpSync(fileURLToPath(new URL('main-job/', import.meta.url)), directory, { recursive: true }));

describe.each([
  ['imported', 'run.mjs'],
  ['required', 'run.cjs'],
])('the installed package, %s in plain Node.js', (_, file) => {
  let output = '';
  let exitCode: number | null;

  beforeAll(() => {
    const ended = spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
      cwd: directory,
      encoding: 'utf8',
      env: plainEnvironment(),
    });
    output = ended.stdout + ended.stderr;
    exitCode = ended.status;
  });

  it.each(names)('%s', (name) => {
    const lines = output.split('\n').map((line) => line.trim().replace(/^(not )?ok \d+ - /, '$1ok '));
    expect(lines, output).toContain(`ok ${name}`);
  });

  it('has no failure and no warning', () => {
    expect(exitCode, output).toBe(0);
    expect(output).not.toMatch(/warning/i);
  });
});

/** Without the variables of the test runner and a developer's shell. */
function plainEnvironment() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
}
