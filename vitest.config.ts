import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/browser/**', 'test/package/**'] } },
      { test: { name: 'browser', include: ['test/browser/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 60_000 } },
      {
        test: { name: 'package', include: ['test/package/**/*.test.ts'], globalSetup: ['test/package/install.ts'], testTimeout: 120_000, hookTimeout: 180_000 },
      },
    ],
  },
});
