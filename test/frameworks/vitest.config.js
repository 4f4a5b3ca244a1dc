import { defineConfig } from 'vitest/config';

/**
 * The examples for frameworks are installed and built, which takes minutes: `npm run test:frameworks`, apart from `npm
 * test`.
 */
export default defineConfig({
  test: {
    name: 'frameworks',
    include: ['test/frameworks/**/*.test.ts'],
    // One file waits for its pages while another one installs and builds.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
