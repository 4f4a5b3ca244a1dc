import { root, run, wordsOf } from '../../support/packed.js';

/** The tests of the installed package with all their cases, of which `npm test` runs a sample. */
export async function checkInstalled() {
  try {
    const args = ['vitest', 'run', '--project', 'package', '--reporter', 'dot'];
    await run('npx', args, { cwd: root, env: { ...process.env, TEST_CASES: 'all' }, maxBuffer: 64 * 1024 * 1024 });
    return { result: 'TEST_CASES=all vitest run --project package', problems: [] };
  } catch (error) {
    return { result: 'TEST_CASES=all vitest run --project package', problems: [wordsOf(error)] };
  }
}
