// @module-tag slow: starts more browsers.
import { statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { expect, vi } from 'vitest';
import { test } from './browser-test.js';
import { findChromium } from './find-chromium.js';

test('text is drawn with the font of the browser from npm, so no system font is needed', async ({ context, page }) => {
  await page.setContent('<p style="font-family: Open Sans">Place bet</p>');
  const session = await context.newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'p' });
  const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });

  // Another browser, named by CHROMIUM_PATH, draws with the fonts of its own machine.
  expect(fonts.map(({ familyName }) => familyName)).toEqual([
    process.env.CHROMIUM_PATH ? expect.any(String) : 'Open Sans',
  ]);
});

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

test.runIf(isLinuxX64)(
  'the settings of fonts are written at every start, also into a folder of an earlier one',
  async () => {
    vi.stubEnv('CHROMIUM_PATH', undefined);
    try {
      const { env } = await findChromium();
      const writtenAs = () => statSync(join(env.FONTCONFIG_PATH ?? 'no folder', 'fonts.conf')).ino;
      const first = writtenAs();
      await findChromium();
      expect(writtenAs()).not.toBe(first);
    } finally {
      vi.unstubAllEnvs();
    }
  },
);
