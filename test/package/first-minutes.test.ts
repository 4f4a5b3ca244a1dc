// @module-tag slow: bundles, compiles or starts processes.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { codeBlocks, copiedFiles } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { freePort } from '../support/free-port.js';
import { newFolder } from '../support/new-folder.js';
import { whenInstalled } from './installed.js';

/** The steps of each tutorial, done in an empty folder. Only the ports differ. */

const run = promisify(execFile);
const { project } = await whenInstalled();
const tutorials = readGuides('start/backend', 'start/page', 'start/ci');
const blocks = codeBlocks(tutorials);
const { PATH, HOME } = process.env;

const blockWith = (text: string, of: readonly { code: string }[] = blocks) => {
  const found = of.find(({ code }) => code.includes(text));
  if (!found) throw new Error(`No tutorial has code with ${text}.`);
  return found.code;
};

/** One installation for all tests: each begins with it and its package.json alone. */
const folder = newFolder('first');
const running: ChildProcess[] = [];
const inFolder = (variables: Record<string, string> = {}) => ({ cwd: folder, env: { PATH, HOME, ...variables } });

beforeAll(() =>
  cpSync(join(project, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true }),
);

beforeEach(() => {
  for (const name of readdirSync(folder))
    if (name !== 'node_modules') rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(join(project, 'package.json'), join(folder, 'package.json'));
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'exit');
    process.kill(-Number(child.pid), 'SIGINT');
    await ended;
  }
});

/** Starts a program that prints its address in its first line. */
async function start(
  program: string,
  words: readonly string[],
  variables: Record<string, string> = {},
): Promise<string> {
  const child = spawn(program, words, { ...inFolder(variables), stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  running.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return /http:\S+/.exec(String(line))?.[0] ?? `not an address: ${line}`;
}

const startMock = () => start('npx', ['--no-install', 'location-sdk', 'mock', '--port', '0']);

/** The staging reports of a mock gateway. */
async function reportsOf(mock: string): Promise<{ operation: string; body: { location?: { source: string } } }[]> {
  const answer = await fetch(`${mock}/__admin/reports`);
  const held: unknown = await answer.json();
  return Array.isArray(held) ? held : (held as { reports: [] }).reports;
}

describe('the first five minutes', () => {
  it('of a backend: the four steps are recorded', async () => {
    writeFileSync(join(folder, 'backend.mjs'), blockWith('// backend.mjs'));
    const mock = await startMock();
    const { stdout } = await run('node', ['backend.mjs'], inFolder({ LOCATION_SDK_MOCK: mock }));
    const operations = ['reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'];
    expect(stdout.match(/^\w+(?= \S+ recorded$)/gm)).toEqual(operations);
    expect((await reportsOf(mock)).map(({ operation }) => operation)).toEqual(operations);
  });

  it('of a pipeline: the unit test passes, and a whole suite runs against the command', async () => {
    writeFileSync(join(folder, 'report.test.mjs'), blockWith("when: 'after'"));
    const setUp = blockWith('npm pkg set')
      .split('\n')
      .filter((line) => line.startsWith('npm pkg'));
    await run('bash', ['-e', '-c', setUp.join('\n')], inFolder());
    expect((await run('npm', ['test'], inFolder())).stdout).toMatch(/^. pass 1$/m);

    writeFileSync(join(folder, 'suite.test.mjs'), blockWith('__admin/reports'));
    const { stdout, stderr } = await run(
      'bash',
      ['-e', '-c', blockWith('mock run --validation partial -- npm test')],
      inFolder(),
    );
    expect(stdout).toMatch(/^. pass 2$/m);
    const beside = (port: string | number) =>
      run('bash', ['-e', '-c', blockWith('| grep').replaceAll('4010', String(port))], inFolder());
    expect((await beside(await freePort())).stdout).toMatch(/^. pass 2$/m);
    const { port: taken } = new URL(await startMock());
    await expect(beside(taken), 'the tests ran against the gateway of another process').rejects.toThrow();
    const [, address = ''] = /listening on (http:\S+)/.exec(stderr) ?? [];
    await expect(fetch(`${address}/__admin/health`), 'the mock gateway was ended').rejects.toThrow('fetch failed');
  });

  it.each([
    ['start/page', 'Your bet of 1500 is placed.'],
    ['start/page-with-relay', 'This went through.'],
  ])('of %s: the button reports a bet, with the position of the browser', async (tutorial, words) => {
    const guide = readGuides(tutorial);
    const own = [...codeBlocks(guide), ...copiedFiles(guide)];
    const mock = await startMock();
    writeFileSync(join(folder, 'page.html'), blockWith('<output', own));
    writeFileSync(
      join(folder, 'server.mjs'),
      blockWith('// server.mjs', own).replaceAll('3000', String(await freePort())),
    );
    const site = await start('node', ['server.mjs'], { LOCATION_SDK_MOCK: mock });

    const browser = await launchChromium();
    try {
      const context = await browser.newContext({
        geolocation: { latitude: 6.4474, longitude: 7.5139, accuracy: 20 },
        permissions: ['geolocation'],
      });
      const page = await context.newPage();
      await page.goto(site);
      await page.fill('input', '1500');
      await page.click('button');
      await page.getByRole('status').filter({ hasText: words }).waitFor();
    } finally {
      await browser.close();
    }
    await expect
      .poll(() => reportsOf(mock))
      .toMatchObject([{ operation: 'reportBetEvent', body: { amount: 1500, location: { source: 'gps' } } }]);
  });

  it('of a page with a script from another host: one command prints its integrity hash', async () => {
    const [, command = ''] = /`node -p "([^`"]*integrity[^`"]*)"`/.exec(readGuides('how-to/browser')) ?? [];
    expect(command).not.toBe('');
    const { stdout } = await run('node', ['-p', command], inFolder());
    const file = readFileSync(join(folder, 'node_modules/location-sdk/dist/location-sdk.relay.global.js'));
    expect(stdout.trim()).toBe(`sha384-${createHash('sha384').update(file).digest('base64')}`);
  });
});
