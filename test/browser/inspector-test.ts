import type { BrowserContextOptions, Page } from 'playwright-core';
import { test as base, expect } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { type MockServer, serve } from '../../src/entries/node.js';
import { connectChromium } from './connect-chromium.js';

interface Watched {
  readonly page: Page;
  /** The errors of the console, including policy violations, and uncaught errors. */
  readonly complaints: string[];
  /** Requests to any host but the server. */
  readonly elsewhere: string[];
}

/**
 * One connection to the shared browser for a file. Each test gets a mock gateway on a socket, and the inspector in
 * separate pages.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the empty pattern as "needs no fixture".
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await connectChromium();
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  .extend('server', async ({}, { onCleanup }) => {
    const server = await serve(createMockGateway());
    onCleanup(() => server.close());
    return server;
  })
  .extend('client', ({ server }) => createClient({ ...server.clientOptions(), retry: { baseMs: 0 } }))
  .extend('open', async ({ browser, server }, { onCleanup }) => {
    const closing: (() => Promise<void>)[] = [];
    onCleanup(async () => void (await Promise.all(closing.map((close) => close()))));
    return async (options: BrowserContextOptions = {}): Promise<Watched> => {
      const context = await browser.newContext(options);
      closing.push(() => context.close());
      const page = await context.newPage();
      const complaints: string[] = [];
      const elsewhere: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on(
        'request',
        (request) =>
          /^(?:data:|blob:)/.test(request.url()) ||
          request.url().startsWith(server.url) ||
          elsewhere.push(request.url()),
      );
      await page.goto(server.url);
      await page.locator('#link[data-state=live]').waitFor();
      return { page, complaints, elsewhere };
    };
  });

/** Another server at the address of the first one. */
export async function restart(server: MockServer): Promise<MockServer> {
  await server.close();
  return serve(createMockGateway(), { port: Number(new URL(server.url).port) });
}

export { violationsOf } from './violations.js';
export { expect };
