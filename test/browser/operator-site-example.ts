import type { BrowserContextOptions, Page } from 'playwright-core';
import { hostExampleSite } from '../support/example-site.js';
import { test as base } from './browser-test.js';

/** The example's data about its player, which the player's own browser must not receive. */
export const SECRETS = [
  'mock-api-key',
  '99012345678',
  '2034567890123',
  'Adaeze',
  'Okonkwo',
  'Ogui Road',
  'Enugu North',
  'ENUGU',
  'U-88412',
  'Example Bank',
  '3310920042',
] as const;

/** A page of the example, with all its requests and answers. */
export interface Opened {
  readonly page: Page;
  /** Addresses, headers and bodies that were seen so far. */
  traffic(): Promise<string[]>;
  /** The errors of the console, including policy violations, and uncaught errors. */
  readonly complaints: string[];
}

/** The example site, started again for each test in one process for a file, and its pages. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the empty pattern as "needs no fixture".
  .extend('host', { scope: 'file' }, async ({}, { onCleanup }) => {
    const host = hostExampleSite();
    onCleanup(() => host.end());
    return host;
  })
  .extend('started', ({ host }) => host.start())
  .extend('open', async ({ browser, started }, { onCleanup }) => {
    const closing: (() => Promise<void>)[] = [];
    onCleanup(async () => void (await Promise.all(closing.map((close) => close()))));
    return async (options: BrowserContextOptions = {}): Promise<Opened> => {
      const context = await browser.newContext(options);
      closing.push(() => context.close());
      const page = await context.newPage();
      const complaints: string[] = [];
      const traffic: Promise<string>[] = [];
      /** A message that cannot be read once the page is closed fails only the test that asks for the traffic. */
      const note = (message: Promise<string>) => {
        message.catch(() => {});
        traffic.push(message);
      };
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        note(
          request
            .allHeaders()
            .then(
              (headers) =>
                `${request.method()} ${request.url()} ${JSON.stringify(headers)} ${request.postData() ?? ''}`,
            ),
        );
      });
      page.on('response', (response) => {
        const read = Promise.all([response.allHeaders(), response.text().catch(() => '')]);
        note(
          read.then(([headers, text]) => `${response.status()} ${response.url()} ${JSON.stringify(headers)} ${text}`),
        );
      });
      // A debugger does not get the body of an answer to a request that may outlive the page, so the page's own view is
      // read too.
      await page.exposeFunction('noteAnswer', (text: string) => void traffic.push(Promise.resolve(text)));
      await page.addInitScript(() => {
        const { noteAnswer } = window as unknown as { noteAnswer(text: string): Promise<void> };
        const original = window.fetch;
        window.fetch = async (...given) => {
          const response = await original(...given);
          await noteAnswer(await response.clone().text());
          return response;
        };
      });
      // Read in the page itself, since a policy's report is sent to no server here.
      await page.exposeFunction('noteViolation', (directive: string) => void complaints.push(`policy: ${directive}`));
      await page.addInitScript(() => {
        const { noteViolation } = window as unknown as { noteViolation(directive: string): void };
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
          noteViolation(effectiveDirective),
        );
      });
      await page.goto(started.site);
      return { page, complaints, traffic: () => Promise.all(traffic) };
    };
  })
  /** The reports of the example's mock gateway. */
  .extend(
    'reports',
    async ({ started }) =>
      async (): Promise<{ operation: string; reference: string; body: Record<string, unknown> }[]> => {
        const { reports } = (await (await fetch(`${started.gateway}/__admin/reports?reveal=true`)).json()) as {
          reports: never;
        };
        return reports;
      },
  );

export async function logIn(page: Page, nickname = 'lion27'): Promise<void> {
  await page.getByLabel('Nickname').fill(nickname);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: /^Place bet/ }).waitFor();
}

/** Chooses a fault, and waits until it is set. */
export async function choose(page: Page, condition: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/demonstration'));
  await page.getByLabel(condition).check();
  await answered;
  await page.locator('body:not([aria-busy])').waitFor();
}

/** Within a second of a bet, another one needs another stake: the same one is a double click. */
export async function placeBet(page: Page, stake = '₦1,500'): Promise<void> {
  await page.getByText(stake, { exact: true }).click();
  await page.getByRole('button', { name: /^Place bet/ }).click();
}
