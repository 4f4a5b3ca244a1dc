import { test as base, expect } from 'vitest';
import { connectChromium } from './connect-chromium.js';
import type { PageOptions } from './in-page.js';
import { answerLookups } from './lookup-services.js';
import { serveOperator } from './operator-site.js';
import { servePages } from './page-server.js';
import { serveGateway } from './served-gateway.js';

/**
 * One connection to the shared browser for a file. Each test gets a new profile, gateway and page server, made when the
 * test names them.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the empty pattern as "needs no fixture".
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await connectChromium();
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  .extend('gateway', async ({}, { onCleanup }) => {
    const gateway = await serveGateway();
    onCleanup(() => gateway.close());
    return gateway;
  })
  .extend('site', async ({ gateway }, { onCleanup }) => {
    const site = await servePages([
      gateway.url,
      'https://get.geojs.io',
      'https://ipapi.co',
      'https://free.freeipapi.com',
    ]);
    onCleanup(() => site.close());
    return site;
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  .extend('operator', async ({}, { onCleanup }) => {
    const operator = await serveOperator();
    onCleanup(() => operator.close());
    return operator;
  })
  .extend('context', async ({ browser }, { onCleanup }) => {
    const context = await browser.newContext();
    onCleanup(() => context.close());
    return context;
  })
  .extend('page', async ({ context }) => context.newPage())
  /** A test fails if one of its pages has an uncaught error, including a rejected promise. */
  .extend('uncaught', { auto: true }, async ({ context }, { onCleanup }) => {
    const uncaught: Error[] = [];
    context.on('weberror', (failed) => uncaught.push(failed.error()));
    onCleanup(() => expect(uncaught).toEqual([]));
    return uncaught;
  })
  .extend('lookups', async ({ page }) => answerLookups(page))
  /** The directives of the page's policy that blocked something. */
  .extend('violations', async ({ page }) => {
    const violations: string[] = [];
    await page.exposeFunction('noteViolation', (directive: string) => void violations.push(directive));
    await page.addInitScript(() => {
      const { noteViolation } = window as unknown as { noteViolation(directive: string): void };
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
        noteViolation(effectiveDirective),
      );
    });
    return violations;
  })
  /** The errors of the page's console. */
  .extend('complaints', async ({ page }) => {
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    return complaints;
  })
  .extend(
    'options',
    ({ gateway }): PageOptions => ({
      gateways: gateway.clientOptions().gateways,
      allowApiKeyInBrowser: true,
      retry: { baseMs: 0 },
    }),
  );
