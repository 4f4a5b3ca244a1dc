import { defineConfig } from 'vitest/config';

/** The libraries that the guide names, over a real server: `node test/postgres/run.js`, apart from `npm test`. */
export default defineConfig({
  test: {
    name: 'libraries',
    include: ['test/postgres/**/*.test.ts'],
    globalSetup: ['test/support/postgres-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
