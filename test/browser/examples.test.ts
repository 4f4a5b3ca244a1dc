import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { codeBlocks } from '../support/code-blocks.js';
import { startNode } from '../support/run.js';
import { test } from './browser-test.js';
import { denyGeolocation, grantGeolocation, POSITION } from './geolocation.js';
import { readScript } from './script-file.js';

/** The page of the README. */
const readmePage = `<!doctype html><html lang="en"><head><title>Operator</title></head><body>${
  codeBlocks(readFileSync('README.md', 'utf8')).find(({ language }) => language === 'html')?.code
}</body></html>`;

/** The example backend, which reports to the test's gateway. */
const withBackend = test.extend('backend', async ({ gateway }, { onCleanup }) => {
  const child = startNode(['examples/backend.js'], { LOCATION_SDK_MOCK: gateway.url });
  onCleanup(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const [line] = child.stdout ? await once(child.stdout, 'data') : [];
  return /http:\S+/.exec(String(line))?.[0] ?? '';
});

const PAGES = ['the example page', 'the page of the readme'] as const;

for (const name of PAGES) {
  withBackend(`${name} sends the location that the browser gives, and the backend reports it`, async ({ context, page, backend, gateway }) => {
    await grantGeolocation(context);
    await page.route('https://cdn.example.com/**', (route) => route.fulfill({ contentType: 'text/javascript', body: readScript() }));
    if (name === 'the page of the readme') await page.route(`${backend}/`, (route) => route.fulfill({ contentType: 'text/html', body: readmePage }));
    await page.goto(`${backend}/`);

    const answered = page.waitForResponse(`${backend}/bets`);
    await page.click('#bet');

    expect((await answered).status()).toBe(200);
    expect(gateway.recorded()).toMatchObject([{ amount: 1500, location: { ...POSITION, source: 'gps' } }]);
  });
}

withBackend('the backend falls back where the player gives no location', async ({ context, page, backend, gateway }) => {
  await denyGeolocation(context);
  await page.goto(`${backend}/`);

  const answered = page.waitForResponse(`${backend}/bets`);
  await page.click('#bet');

  expect((await answered).status()).toBe(200);
  expect(gateway.recorded()).toMatchObject([{ location: { source: 'mock' } }]);
});
