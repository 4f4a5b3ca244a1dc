import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { violationsOf } from '../browser/violations.js';
import { root } from '../support/run.js';
import { serveFolder } from './serve-folder.js';

/**
 * The start, and a guide with wide tables, at each width. Each other kind of page at one: a long reference, the API, an
 * example's file, a page for contributors.
 */
const BOTH = ['index.html', 'how-to/relay.html'];
const WIDE_ONLY = ['background/security.html', 'reference/errors.html', 'project/testing.html'];
const NARROW_ONLY = ['reference/api/location-sdk/transport/node.html', 'examples/relay/express-js.html'];
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** `SITE_PICTURES=/some/folder npm run docs` writes screenshots of the pages for a person. */
const { SITE_PICTURES } = process.env;

let browser: Browser;
let served: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => {
  [served, browser] = await Promise.all([serveFolder(join(root, 'site/pages')), launchChromium()]);
  if (SITE_PICTURES) mkdirSync(SITE_PICTURES, { recursive: true });
});
afterAll(async () => {
  await browser.close();
  served.server.close();
});

/** Opens a page, and records every request to another host. */
async function open(
  path: string,
  viewport: typeof DESKTOP,
  colorScheme: 'light' | 'dark',
): Promise<{ page: Page; elsewhere: string[] }> {
  const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(served.url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
  });
  await page.goto(`${served.url}/${path}`, { waitUntil: 'load' });
  await page.locator('#app .VPNavBar').waitFor();
  return { page, elsewhere };
}

describe.each([
  ['desktop, light', DESKTOP, 'light', [...BOTH, ...WIDE_ONLY]],
  ['phone, dark', PHONE, 'dark', [...BOTH, ...NARROW_ONLY]],
] as const)('%s', (name, viewport, scheme, pages) => {
  test.each(pages)(
    '%s: axe finds no violation, no request goes to another host, and the page does not scroll sideways',
    async (path) => {
      const { page, elsewhere } = await open(path, viewport, scheme);
      if (SITE_PICTURES)
        await page.screenshot({ path: join(SITE_PICTURES, `${path.replace(/\W/g, '-')} ${name}.png`) });
      expect(await violationsOf(page)).toEqual([]);
      expect(elsewhere).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      ).toBe(0);
      if (viewport === DESKTOP) {
        const wider = await page
          .locator('.wide')
          .evaluateAll((tables) =>
            tables.filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.textContent),
          );
        expect(wider, 'tables that do not fit').toEqual([]);
        const code = await page
          .locator('.vp-doc pre')
          .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
        expect(code, 'code that does not fit').toEqual([]);
      }
      await page.context().close();
    },
  );
});

test('the front page shows at 1280 × 800, without scrolling, the four steps, the code, the first command and the question', async () => {
  const { page } = await open('index.html', { width: 1280, height: 800 }, 'light');
  for (const part of ['.first img.in-light', '.first .language-js', '.first .language-sh', '#who-are-you']) {
    const box = await page.locator(part).boundingBox();
    expect((box?.y ?? Number.NaN) + (box?.height ?? Number.NaN), part).toBeLessThan(800);
  }
  expect(await page.locator('.who a').count()).toBe(6);
  await page.context().close();
});

test('a guide has an edit line and its neighbours in the menu', async () => {
  const { page } = await open('how-to/relay.html', DESKTOP, 'light');
  expect(await page.locator('.source').textContent()).toContain('docs/how-to/relay.md');
  expect(await page.locator('.pager-link').count()).toBe(2);
  await page.context().close();
});

test('the search finds guides before symbols', async () => {
  const { page } = await open('index.html', DESKTOP, 'light');
  await page.keyboard.press('Control+k');
  for (const word of ['outbox', 'relay', 'duplicate']) {
    await page.locator('.search-input').fill('');
    await page.locator('.results li').first().waitFor({ state: 'detached' }); // nothing of the word before is left
    await page.locator('.search-input').fill(word);
    await page.locator('.results li').nth(3).waitFor();
    const links = await page
      .locator('.results li a')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
    const first = links.findIndex((link) => link.includes('/reference/api/'));
    expect(
      links.slice(0, 4).filter((link) => link.includes('/reference/api/')),
      word,
    ).toEqual([]);
    expect(
      first === -1 || links.slice(first).every((link) => /\/(?:reference\/api|project|examples)\//.test(link)),
      word,
    ).toBe(true);
  }
  await page.context().close();
});
