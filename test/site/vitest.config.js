import { defineConfig } from 'vitest/config';

/** The site that `npm run docs` has just built, in Chromium. */
export default defineConfig({
  test: { name: 'site', include: ['test/site/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
