import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium } from '../browser/find-chromium.js';
import { freePort } from '../support/free-port.js';
import { root } from '../support/run.js';
import { type Example, installExample } from './example.js';

/** The tests of a page that the guide to web pages (how-to/browser.md) gives to copy, each in the tool that it is for. */

const blockOf = (name: string) => readFileSync(join(root, 'examples/page-tests', name), 'utf8');

let project: Example;
beforeAll(async () => {
  project = await installExample('page-tests', 'test/frameworks/page-tests');
});
afterAll(() => project?.remove());

/** Writes a file, runs a tool over it, and removes the file. Returns what the tool printed, also if it failed. */
async function runWith(file: string, code: string, ...command: [string, ...string[]]): Promise<string> {
  writeFileSync(join(project.folder, file), code);
  try {
    return await project.run(...command);
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`;
  } finally {
    rmSync(join(project.folder, file));
  }
}

// Patient, since a busy machine may take longer than the defaults.
const VITEST = ['npx', 'vitest', 'run', '--testTimeout=30000', '--expect.poll.timeout=10000'] as const;

// Vitest would read the whole name as the environment of this file.
const ENV = 'environment';
const ENVIRONMENT = `// @vitest-${ENV} happy-dom`;

/** The same test over a gateway that is down: it must fail, since nothing is recorded. */
const overAnOutage = (code: string) => {
  const broken = code.replace(
    /\n( *)const relay =/,
    "\n$1gateway.faults.add({ kind: 'status', status: 500, times: null });$&",
  );
  expect(broken).not.toBe(code);
  return broken;
};

test.each(['happy-dom', 'jsdom'])('Vitest with %s, for a page whose backend reports', async (environment) => {
  const code = blockOf('place.test.js').replace(ENVIRONMENT, `// @vitest-${ENV} ${environment}`);
  const run = (code: string) => runWith('place.test.js', code, ...VITEST, 'place.test.js');
  expect(await run(code)).toMatch(/Tests .*1 passed/);
  // A route that places nothing.
  expect(await run(code.replace("bet_id: 'BET-1', message", 'error'))).toMatch(/Tests .*1 failed/);
});

test.each(['happy-dom', 'jsdom'])('Vitest with %s, for a page that reports', async (environment) => {
  const code = blockOf('bet.test.js').replace(ENVIRONMENT, `// @vitest-${ENV} ${environment}`);
  const run = (code: string) => runWith('bet.test.js', code, ...VITEST, 'bet.test.js');
  expect(await run(code)).toMatch(/Tests .*1 passed/);
  expect(await run(overAnOutage(code))).toMatch(/Tests .*1 failed/);
});

test('Playwright', async () => {
  const { path, env } = await findChromium();
  const port = await freePort();
  const config = {
    testMatch: 'bet.spec.js',
    expect: { timeout: 15_000 },
    use: {
      baseURL: `http://127.0.0.1:${port}`,
      launchOptions: { executablePath: path, env, args: ['--no-sandbox', '--disable-gpu', '--single-process'] },
    },
    webServer: { command: `npx vite --host 127.0.0.1 --port ${port} --strictPort`, port },
  };
  writeFileSync(join(project.folder, 'playwright.config.js'), `export default ${JSON.stringify(config)};`);
  const run = (code: string) => runWith('bet.spec.js', code, 'npx', 'playwright', 'test', '--reporter=line');
  expect(await run(blockOf('bet.spec.js'))).toMatch(/1 passed/);
  expect(await run(overAnOutage(blockOf('bet.spec.js')))).toMatch(/1 failed/);
});

const JEST = ['node', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'] as const;

test('Jest with the environment that the guide names', async () => {
  const code = blockOf('bet.test.js')
    .replace(`// bet.test.js\n${ENVIRONMENT}`, `/** @jest-${ENV} jest-fixed-jsdom */`)
    .replace("from 'vitest'", "from '@jest/globals'");
  expect(code).not.toContain('vitest');
  const run = (code: string) =>
    runWith('bet.test.js', code, ...JEST, '--testTimeout=30000', '--testMatch', '**/bet.test.js');
  expect(await run(code)).toMatch(/Tests: +1 passed/);
  expect(await run(overAnOutage(code))).toMatch(/Tests: +1 failed/);
});

test('Jest with jsdom loads every entry that a page or its test can use', async () => {
  const [program, ...words] = JEST;
  const output = await project.run(program, ...words, '--testMatch', '**/entries.test.cjs', '--verbose');
  expect(output).toMatch(/✓ \.\/page loads/);
  expect(output).toMatch(/Tests: +\d+ passed, \d+ total/);
});
