import { resolve, sep } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findChromium } from './find-chromium.js';

const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';

test.runIf(isLinuxX64)('the browser comes from npm unless CHROMIUM_PATH names another', async () => {
  vi.stubEnv('CHROMIUM_PATH', undefined);
  try {
    expect((await findChromium()).path.startsWith(resolve('node_modules') + sep)).toBe(true);
    vi.stubEnv('CHROMIUM_PATH', '/somewhere/chromium');
    expect((await findChromium()).path).toBe('/somewhere/chromium');
  } finally {
    vi.unstubAllEnvs();
  }
});
