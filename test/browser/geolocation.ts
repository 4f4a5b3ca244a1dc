import type { BrowserContext, Page } from 'playwright-core';

export const POSITION = { latitude: 6.5244, longitude: 3.3792, accuracy: 25 };

export async function grantGeolocation(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['geolocation']);
  await context.setGeolocation(POSITION);
}

/** An empty list denies all permissions. */
export const denyGeolocation = (context: BrowserContext): Promise<void> => context.grantPermissions([]);

/** Takes the permission back: the browser then denies it. */
export async function revokeGeolocation(context: BrowserContext): Promise<void> {
  await context.clearPermissions();
  await denyGeolocation(context);
}

/** The player allows it, and the device has no position. */
export async function loseGeolocation(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['geolocation']);
  await context.setGeolocation(null);
}

/**
 * The prompt is open, and the player does not decide. This is a replacement: a browser without a window shows no prompt
 * but denies at once, so a request without an answer takes its place. The page sees the same: neither callback runs.
 */
export const leavePromptOpen = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    Geolocation.prototype.getCurrentPosition = () => undefined;
  });

/** The browser's answers come this much later. */
export const delayGeolocation = (page: Page, milliseconds: number): Promise<unknown> =>
  page.addInitScript((milliseconds) => {
    const ask = Geolocation.prototype.getCurrentPosition;
    Geolocation.prototype.getCurrentPosition = function (this: Geolocation, ...request) {
      setTimeout(() => ask.apply(this, request), milliseconds);
    };
  }, milliseconds);

/** Counts the page's requests for the position, without changing the answer. */
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
