import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { inspectorDefine } from './inspector.build.js';
import { WIRED } from './test/delivery/wired.js';

// Copied for each project, since vitest takes out of it what it has seen.
const define = await inspectorDefine();

/** vitest gives `expect.poll` a second, and a busy machine may take longer. */
const patient = { expect: { poll: { timeout: 20_000 } } };

/** Loading modules takes longer than most tests, so each worker loads them once. A test file therefore puts back whatever it changes. */
const shared = { ...patient, isolate: false };

/** These replace modules or globals for the whole process. A file with another environment belongs here too, since it ends the worker of the file before it. */
const ALONE = [
  'test/platform/hash.test.ts',
  'test/mock/hostile.test.ts',
  'test/node/transport/old-undici.test.ts',
  // In the environment happy-dom:
  'test/client/browser.test.ts',
  'test/client/relay-in-page.test.ts',
  'test/location/browser.test.ts',
  'test/location/page/reverse-geocode.test.ts',
  'test/location/providers/providers.browser.test.ts',
];

export default defineConfig({
  test: {
    // Most tests wait: for sockets, for commits, for other processes. So more of them run at once than there are cores.
    maxWorkers: Math.max(4, availableParallelism()),
    globalSetup: ['test/support/skipped-cases.ts'],
    projects: [
      {
        define: { ...define },
        test: {
          name: 'unit',
          ...shared,
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', 'test/frameworks/**', 'test/package/**', 'test/**/*.postgres.test.ts', ...ALONE],
          testTimeout: 60_000,
          maxConcurrency: 10,
        },
      },
      { define: { ...define }, test: { name: 'unit, alone', ...patient, include: ALONE, testTimeout: 60_000 } },
      // What is scripted leaves by each transport over a real socket too.
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
          testTimeout: 30_000,
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
          testTimeout: 30_000,
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
