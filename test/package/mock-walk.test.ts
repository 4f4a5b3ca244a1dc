// @module-tag slow: bundles, compiles or starts processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();
const { PATH, HOME } = process.env;
const surroundings = { cwd: project, env: { PATH, HOME } };
const running: ChildProcess[] = [];

/** Starts the installed command as a user does, and returns its address. */
async function mock(...words: string[]): Promise<string> {
  const child = spawn('npx', ['--no-install', 'location-sdk', 'mock', '--port', '0', ...words], {
    ...surroundings,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  running.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return String(line).replace('location-sdk mock gateway listening on ', '');
}

/** Ends npx and its processes, as Ctrl+C does. */
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'exit');
    process.kill(-Number(child.pid), 'SIGINT');
    await ended;
  }
});

it('the installed command passes the tests with curl', async () => {
  const addresses = [await mock(), await mock('--rate', '1')];
  const ended = spawnSync('sh', [fileURLToPath(new URL('../testing/mock/walk.sh', import.meta.url)), ...addresses], {
    ...surroundings,
    encoding: 'utf8',
  });
  expect(ended.stdout, ended.stderr).toMatch(/\nwalked \d+\n$/);
  expect(ended.status).toBe(0);
});

it('the tests with curl fail if an answer is wrong', async () => {
  const address = await mock('--key', 'another');
  const ended = spawnSync(
    'sh',
    [fileURLToPath(new URL('../testing/mock/walk.sh', import.meta.url)), address, address],
    {
      ...surroundings,
      encoding: 'utf8',
    },
  );
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(/^FAILED: 1 initiated bet: status 401 instead of 200/);
});
