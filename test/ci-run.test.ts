import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { root } from './support/run.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Prints its arguments, records its process id, and runs the test's command for this call. */
const CALLED = 'echo "said by $(basename "$0") $*"; echo $$ >> "$STARTED"; case "$*" in $WHICH) eval "$THEN" ;; esac';
const STANDINS = { npm: CALLED, node: CALLED, git: 'printf "file\\0"', id: 'echo 1000', sudo: 'exit 1' };

/** The script in a separate folder, in which only the command that matches `which` does anything. */
function run(which: string, then: string) {
  for (const name of ['programs', '.ci']) mkdirSync(join(folder, name));
  for (const name of ['run', 'hide-system']) cpSync(join(root, '.ci', name), join(folder, '.ci', name));
  writeFileSync(join(folder, 'file'), '');
  for (const [name, does] of Object.entries(STANDINS)) {
    writeFileSync(join(folder, 'programs', name), `#!/bin/bash\n${does}\n`);
    chmodSync(join(folder, 'programs', name), 0o755);
  }
  const started = join(folder, 'started');
  writeFileSync(started, '');
  const env = { PATH: `${join(folder, 'programs')}:/usr/bin:/bin`, HOME: folder, TMPDIR: folder, STARTED: started, WHICH: which, THEN: then };
  const child = spawn(join(folder, '.ci/run'), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = new Promise<{ code: number | null; said: string; last: string | undefined }>((resolve) =>
    child.once('close', (code) => resolve({ code, said, last: said.trimEnd().split('\n').at(-1) })),
  );
  return { child, ended, started: () => readFileSync(started, 'utf8').trim().split('\n').map(Number) };
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('.ci/run', () => {
  it('ends with a line that says that every step passed', async () => {
    const { code, said, last } = await run('test', 'echo "cases: $TEST_CASES"').ended;
    expect({ code, last }).toEqual({ code: 0, last: expect.stringMatching(/^== PASSED in \d+ s$/) });
    for (const step of [
      'npm ci',
      'npm run demo',
      'npm test',
      'npm run lint',
      'npm run soak',
      'npm run sim',
      'node test/runtimes/run.js',
      'node bench/main.js --smoke',
    ])
      expect(said).toContain(`said by ${step}`);
    // npm test alone runs a sample.
    expect(said).toContain('cases: all\n');
  });

  it.each(['npm test', 'npm run size', 'npm run soak:refusal', 'npm run demo'])('ends with a line that names the step %s, which failed', async (step) => {
    const { code, last } = await run(`*${step.replace('npm ', '')}*`, 'exit 3').ended;
    expect(code).toBe(3);
    expect(last).toMatch(/^== FAILED: /);
    expect(last).toContain(step === 'npm run demo' ? 'demo_in_a_clone' : step);
  });

  it.each([
    ['SIGINT', 130, 'sleep 60'],
    // It ignores SIGTERM.
    ['SIGTERM', 143, 'trap "" TERM; while true; do sleep 1; done'],
  ] as const)('%s ends the queues and all processes that they started, and prints their output so far', async (signal, code, waits) => {
    // In a separate session, like a browser.
    const { child, ended, started } = run('*soak*', `exec setsid --wait bash -c 'echo $$ >> "$STARTED"; echo "said so far"; ${waits}'`);
    await vi.waitFor(() => expect(started().length).toBeGreaterThan(14), { timeout: 15_000, interval: 100 });
    const before = started().filter(isRunning);
    expect(before.length).toBeGreaterThan(1);
    child.kill(signal);
    const end = await ended;
    expect(end).toMatchObject({ code, last: expect.stringMatching(/^== FAILED: .*npm run soak/) });
    expect(end.said).toContain('said so far');
    expect(before.filter(isRunning)).toEqual([]);
  });
});
