import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import { pagesDefine } from '../../build/pages.js';
import { RULES } from './rules.js';

/** These wait for real time, sockets or files, or run through thousands of cases. */
const SLOW = [
  'test/core/delivery/broken-answers.test.ts',
  'test/core/delivery/certificates.test.ts',
  'test/core/delivery/odd-answers.test.ts',
  'test/core/delivery/one-signal.test.ts',
  'test/core/delivery/proxies.test.ts',
  'test/core/delivery/real-socket.test.ts',
  'test/sim/sim.test.ts',
  'test/outbox/turned-away.test.ts',
];

/** A mutant runs until the first test that fails, so the tests of the rules themselves run first. */
class RulesFirst extends BaseSequencer {
  /** @override @type {BaseSequencer['sort']} */
  async sort(files) {
    const rank = (/** @type {string} */ file) =>
      RULES.some((rule) => file.endsWith(rule.replace('src/', 'test/').replace('.ts', '.test.ts'))) ? 0 : 1;
    return [...files].sort((a, b) => rank(a.moduleId) - rank(b.moduleId) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

export default defineConfig({
  define: { ...(await pagesDefine()) },
  test: {
    include: [
      ...['core/{delivery,client,redact}', 'outbox', 'outbox/{rules,sending,store}', 'http/relay'].map(
        (folder) => `test/${folder}/*.test.ts`,
      ),
      'test/operator/went-back.test.ts',
    ],
    exclude: ['**/*.postgres.test.ts', ...SLOW],
    isolate: false,
    // The samples of series note here what they leave out.
    globalSetup: ['test/support/skipped-cases.ts'],
    // As in vitest.config.ts. A test with a tag runs here too.
    tags: [{ name: 'slow' }, { name: 'slice' }],
    testTimeout: 20_000,
    sequence: { sequencer: RulesFirst },
  },
});
