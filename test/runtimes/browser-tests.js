// All tests of the project `browser` in the newest Chromium that is installed beside the one from npm.

import { root, run, wordsOf } from '../support/packed.js';
import { programIn } from './debian.js';

const LIMIT_MS = 1_200_000;
const LAST_LINES = 60;

/** @returns {Promise<{ name: string, version: string, seconds: number, problem?: string, words?: string, isAccepted?: boolean }>} */
export async function tryBrowserTests() {
  const name = 'Chromium, all browser tests';
  const path = programIn('chromium');
  if (!path)
    return {
      name,
      version: '-',
      seconds: 0,
      problem: 'NOT INSTALLED',
      words: 'Debian has it ("apt-get install chromium").',
      isAccepted: true,
    };
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  let version = '?';
  try {
    const { stdout } = await run(path, ['--version', '--no-sandbox']);
    version = /\d[\d.]*\d/.exec(stdout)?.[0] ?? '?';
    const env = { ...process.env, CHROMIUM_PATH: path, NO_COLOR: '1' };
    const given = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'browser', '--maxWorkers=2'];
    await run(process.execPath, given, { cwd: root, env, timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
    return { name, version, seconds: seconds() };
  } catch (error) {
    return {
      name,
      version,
      seconds: seconds(),
      problem: 'failed',
      words: wordsOf(error).split('\n').slice(-LAST_LINES).join('\n'),
    };
  }
}
