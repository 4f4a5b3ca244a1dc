import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { pagesDefine } from './build/pages.js';
import { WIRED } from './test/core/delivery/wired.js';

// Copied for each project, since vitest removes entries from it.
const define = await pagesDefine();

/** The default of `expect.poll` is a second, and a busy machine may take longer. */
const patient = { expect: { poll: { timeout: 20_000 } } };

/**
 * Loading modules takes longer than most tests, so each worker loads them once. A test file therefore restores
 * everything that it changes.
 */
const shared = { ...patient, isolate: false };

/**
 * These replace modules or globals for the whole process. A file with another environment belongs here too, since it
 * ends the worker of the file before it.
 */
const ALONE = [
  'test/core/platform/hash.test.ts',
  'test/core/client/page-locate.test.ts',
  'test/testing/mock/hostile.test.ts',
  'test/http/node/transport/old-undici.test.ts',
  'test/core/delivery/global-fetch.test.ts',
  'test/outbox/fake-timers.test.ts',
  // In the environment happy-dom:
  'test/core/client/browser.test.ts',
  'test/core/client/relay-in-page.test.ts',
  'test/core/location/browser.test.ts',
  'test/core/location/providers/providers.browser.test.ts',
];

/** These compute longest. If the last of them started late, it would run alone, on one core. */
const LONGEST = [
  'test/core/schema/bad-payloads.test.ts',
  'test/sim/sim.test.ts',
  'test/testing/mock/random-requests.test.ts',
  'test/outbox/stores/sqlite/every-column.test.ts',
  'test/outbox/stores/postgres/every-column.postgres.test.ts',
];
const isLongest = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file));

/** vitest's order, but with the longest files of each project first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))].map((project) =>
      sorted.filter((file) => file.project === project),
    );
    return projects.flatMap((own) => [...own.filter(isLongest), ...own.filter((file) => !isLongest(file))]);
  }
}

export default defineConfig({
  test: {
    // The lines that a test logs are shown if it fails.
    silent: 'passed-only',
    sequence: { sequencer: LongestFirst },
    // Most tests wait: for sockets, for commits, for other processes. So more of them run at once than there are cores.
    maxWorkers: Math.max(4, availableParallelism()),
    globalSetup: ['test/support/skipped-cases.ts'],
    // `npm test` leaves out the tests with this tag, and `npm run test:all` runs them too.
    tags: [
      {
        name: 'slow',
        description:
          'Takes long. A quicker test has the same rule, or a test with the tag slice shows the same real thing at work.',
      },
      { name: 'slice', description: 'In a slow file, a test that npm test runs nevertheless.' },
    ],
    projects: [
      {
        define: { ...define },
        test: {
          name: 'unit',
          ...shared,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/browser/**',
            'test/frameworks/**',
            'test/package/**',
            'test/postgres/**',
            'test/site/**',
            'test/**/*.postgres.test.ts',
            ...ALONE,
          ],
          testTimeout: 60_000,
          maxConcurrency: 10,
        },
      },
      { define: { ...define }, test: { name: 'unit, alone', ...patient, include: ALONE, testTimeout: 60_000 } },
      // Scripted requests are also sent by each transport over a real socket.
      ...(['fetch', 'nodeTransport'] as const).map((transport) => ({
        define: { ...define },
        test: { name: `wire: ${transport}`, ...shared, include: WIRED, provide: { transport }, testTimeout: 60_000 },
      })),
      {
        define: { ...define },
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/shared-chromium.ts'],
          ...shared,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        define: { ...define },
        test: {
          name: 'postgres',
          ...shared,
          include: ['test/**/*.postgres.test.ts'],
          globalSetup: ['test/support/postgres-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'package',
          ...patient,
          include: ['test/package/**/*.test.ts'],
          globalSetup: ['test/package/install.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
