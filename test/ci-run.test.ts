import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newFolder } from './support/new-folder.js';
import { root } from './support/run.js';

let folder: string;
beforeEach(() => {
  folder = newFolder('ci-run');
});

/** Prints its arguments, records its process id, and runs the test's command for this call. */
const CALLED = 'echo "said by $(basename "$0") $*"; echo $$ >> "$STARTED"; case "$*" in $WHICH) eval "$THEN" ;; esac';
const STANDINS = {
  npm: CALLED,
  // The program with the table runs in the real Node.js.
  node: `[[ "$1" = *.ci/run.js ]] && exec "$NODE" "$@"; ${CALLED}`,
  git: 'case "$*" in "rev-parse HEAD") echo 00000ff123456789 ;; rev-parse*) echo before ;; *) printf "file\\0.ci/hide-system\\0" ;; esac',
  id: 'echo 1000',
  sudo: 'exit 1',
};

/** The program in a separate folder, in which only the command that matches `which` does anything. */
function run(which: string, then: string) {
  for (const name of ['programs', '.ci']) mkdirSync(join(folder, name));
  for (const name of ['run', 'run.js', 'hide-system']) cpSync(join(root, '.ci', name), join(folder, '.ci', name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'file'), '');
  for (const [name, does] of Object.entries(STANDINS)) {
    writeFileSync(join(folder, 'programs', name), `#!/bin/bash\n${does}\n`);
    chmodSync(join(folder, 'programs', name), 0o755);
  }
  const started = join(folder, 'started');
  writeFileSync(started, '');
  const env = {
    PATH: `${join(folder, 'programs')}:/usr/bin:/bin`,
    HOME: folder,
    TMPDIR: folder,
    NODE: process.execPath,
    STARTED: started,
    WHICH: which,
    THEN: then,
  };
  const child = spawn('bash', [join(folder, '.ci/run')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = new Promise<{ code: number | null; said: string; lines: string[] }>((resolve) =>
    child.once('close', (code) => resolve({ code, said, lines: said.trimEnd().split('\n') })),
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
  it('runs every step in its order, and ends with a line that says that all passed', async () => {
    const { code, said, lines } = await run('nothing', '').ended;
    expect(code, said).toBe(0);
    expect(lines.at(-1)).toMatch(/^== PASSED in \d+ s$/);
    expect(lines.at(-2)).toMatch(/^\d\d passed, 0 failed$/);
    const steps = [
      'npm test',
      'npm run test:all',
      'npm run lint',
      'npm run types',
      'npm run size',
      'npm run docs',
      'npm run demo',
    ];
    const others = [
      'node test/packaging/run.js',
      'node test/runtimes/run.js',
      'npm run soak',
      'npm run soak:postgres',
      'npm run soak:refusal',
    ];
    for (const step of [...steps, ...others, 'node test/debian-postgres.js', 'node bench/main.js --quick'])
      expect(said).toContain(`said by ${step}`);

    // The README's commands come first, in a clone without packages; the times are compared last, alone.
    const calls = said.match(/^said by .*/gm) ?? [];
    expect(calls.slice(0, 3)).toEqual(['said by npm ci', 'said by npm test', 'said by npm run test:all']);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toMatch(/^npm ci && npm test$/m);
    expect(calls.at(-1)).toBe('said by node bench/main.js --quick');

    // The commit gives the first history, and the one before it tells which rules have changed.
    expect(said).toMatch(/^== npm run sim -- --histories 300000 --from 255( |$)/m);
    expect(said).toMatch(/^== npm run test:mutation -- --since before( |$)/m);
  });

  it.each([
    ['an undecided promise', 2, 0],
    ['a broken promise', 1, 1],
  ])('after %s, with which the bench ends with %i, ends with %i', async (_, measured, code) => {
    const ended = await run('*--quick*', `exit ${measured}`).ended;
    expect(ended.code, ended.said).toBe(code);
  });

  it('starts nothing after tests that fail', async () => {
    const { code, said, lines } = await run('test', 'exit 3').ended;
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/^== FAILED: .*npm test/);
    expect(lines.at(-2)).toBe('0 passed, 1 failed');
    expect(said).not.toContain('said by npm run');
  });

  it.each([
    ['npm run size', '*size*'],
    ['demo in an empty clone', '*demo*'],
  ])(
    'names the step "%s", which failed, repeats the end of its output, runs the steps beside it, and measures nothing',
    async (name, which) => {
      const { code, said, lines } = await run(which, 'echo the reason; exit 3').ended;
      expect(code).toBe(1);
      expect(lines.at(-1)).toBe(`== FAILED: ${name}`);
      expect(said.replace(/after \d+ s/, 'after a moment')).toContain(`== FAILED (3) after a moment: ${name}\n`);
      expect(said.slice(said.indexOf(`== The end of the output of: ${name}\n`))).toContain('the reason\n');
      expect(lines.at(-2)).toMatch(/^\d\d passed, 1 failed$/);
      for (const step of ['npm run lint', 'npm run soak', 'npm run sim']) expect(said).toContain(`said by ${step}`);
      expect(said).not.toContain('--quick');
    },
  );

  it.each([
    ['SIGINT', 130, 'sleep 60'],
    // It ignores SIGTERM.
    ['SIGTERM', 143, 'trap "" TERM; while true; do sleep 1; done'],
  ] as const)(
    '%s ends the queues and all processes that they started, and prints their output so far',
    async (signal, code, waits) => {
      // In a separate session, like a browser.
      const { child, ended, started } = run(
        '*run soak*',
        `exec setsid --wait bash -c 'echo $$ >> "$STARTED"; echo "said so far"; ${waits}'`,
      );
      const running = () => started().filter(isRunning);
      // Both queues have reached a soak.
      await vi.waitFor(
        () => {
          expect(started().length).toBeGreaterThan(12);
          expect(running().length).toBeGreaterThan(1);
        },
        { timeout: 15_000, interval: 20 },
      );
      const before = running();
      child.kill(signal);
      const end = await ended;
      expect(end.code).toBe(code);
      expect(end.lines.at(-1)).toMatch(/^== FAILED: .*npm run soak/);
      expect(end.said).toContain('said so far');
      expect(before.filter(isRunning)).toEqual([]);
    },
  );
});
