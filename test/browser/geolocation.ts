import type { BrowserContext, Page } from 'playwright-core';

export const POSITION = { latitude: 6.5244, longitude: 3.3792, accuracy: 25 };

export async function grantGeolocation(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['geolocation']);
  await context.setGeolocation(POSITION);
}

/** Granting none of them denies them all. */
export const denyGeolocation = (context: BrowserContext): Promise<void> => context.grantPermissions([]);

/** What was granted is taken back, and denied. */
export async function revokeGeolocation(context: BrowserContext): Promise<void> {
  await context.clearPermissions();
  await denyGeolocation(context);
}

/** The player allows it, and the device does not know. */
export async function loseGeolocation(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['geolocation']);
  await context.setGeolocation(null);
}

/**
 * The prompt stands open, and nobody answers. This is a stand-in: a browser without a window shows no prompt but denies
 * at once, so a question that is never answered takes its place. What the page sees is the same: neither callback runs.
 */
export const leavePromptOpen = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    Geolocation.prototype.getCurrentPosition = () => undefined;
  });

/** The browser's answers come so much later. */
export const delayGeolocation = (page: Page, milliseconds: number): Promise<unknown> =>
  page.addInitScript((milliseconds) => {
    const ask = Geolocation.prototype.getCurrentPosition;
    Geolocation.prototype.getCurrentPosition = function (this: Geolocation, ...request) {
      setTimeout(() => ask.apply(this, request), milliseconds);
    };
  }, milliseconds);

/** Counts how often a page asks for the position, without changing the answer. */
export async function countPrompts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const counter = Object.assign(navigator.geolocation, { asked: 0 });
    const ask = Geolocation.prototype.getCurrentPosition;
    Geolocation.prototype.getCurrentPosition = function (this: Geolocation, ...request) {
      counter.asked += 1;
      ask.apply(this, request);
    };
  });
  return () => page.evaluate(() => (navigator.geolocation as Geolocation & { asked: number }).asked);
}
