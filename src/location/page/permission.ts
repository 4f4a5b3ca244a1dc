import { type Clock, systemClock, withTimeout } from '../../platform/time.js';
import type { AbortSignalLike } from '../../platform/web-types.js';
import { type Page, readPage } from './page.js';

/** Whether a page may have the position. `'prompt'`: the browser will ask the player. `'unavailable'`: this page cannot get a position. */
export type LocationPermission = 'granted' | 'prompt' | 'denied' | 'unavailable';

/** A longer wait for a hint brings no gain. */
const PERMISSION_MS = 250;

/** The browser's answer about the permission, within a quarter of a second. Undefined if it gives none. */
export async function queryPermission(
  page: Page,
  { clock, milliseconds = PERMISSION_MS, signal }: { clock: Clock; milliseconds?: number; signal?: AbortSignalLike | undefined },
): Promise<string | undefined> {
  const asked = await withTimeout(page.permission, { clock, milliseconds: Math.min(PERMISSION_MS, milliseconds), signal });
  return asked.ended === 'done' ? asked.value : undefined;
}

/** The permission in the words of a page developer. */
export async function readPermission(page: Page, clock: Clock): Promise<LocationPermission> {
  if (!page.geolocation() || !page.isSecure() || page.isForbidden()) return 'unavailable';
  const state = await queryPermission(page, { clock });
  return state === 'granted' || state === 'denied' ? state : 'prompt';
}

/**
 * Returns whether this page may have the player's position, without asking the player. Use it to explain the browser's
 * prompt before it opens. `'unavailable'`: the page is not https, a policy forbids geolocation, or the browser has
 * none. Safari, and browsers without the Permissions API, give `'prompt'`. Never rejects.
 *
 * @example
 * ```ts
 * if ((await locationPermission()) === 'prompt') explanation.hidden = false; // before client.locate()
 * ```
 */
export const locationPermission = (): Promise<LocationPermission> => readPermission(readPage(globalThis, undefined), systemClock);
