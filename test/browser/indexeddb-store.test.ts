import type { Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { storeContract } from '../../src/outbox/contract/index.js';
import { test } from './browser-test.js';
import { bundleOutboxPage } from './outbox-script.js';

declare const OutboxPage: typeof import('./outbox-page.js').OutboxPage;

let script: string;
beforeAll(async () => {
  script = await bundleOutboxPage();
});

async function openPage(page: Page, url: string): Promise<Page> {
  await page.goto(`${url}/empty`);
  await page.addScriptTag({ content: script });
  return page;
}

describe('the IndexedDB store in a page', () => {
  test.for(storeContract.map(({ name }, index) => [name, index] as const))('%s', async ([, index], { page, site }) => {
    await openPage(page, site.url);
    await page.evaluate((index) => OutboxPage.runCase(index), index);
  });
});
