import { type Clock, systemClock, withTimeout } from '../../platform/time.js';
import type { AbortSignalLike } from '../../platform/web-types.js';
import { type Page, readPage } from './page.js';

/** Whether a page may have the position: `'prompt'`, the player will be asked; `'unavailable'`, it cannot be asked for here. */
export type LocationPermission = 'granted' | 'prompt' | 'denied' | 'unavailable';

/** Nothing is gained by a longer wait for a hint. */
const PERMISSION_MS = 250;

/** What the browser says of the permission, within a quarter of a second; undefined where it says nothing. */
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
 * Whether this page may have the player's position, without asking the player: to explain first what the browser will ask. `'unavailable'`: the
 * page is not https, a policy forbids it, or there is no geolocation here. Safari, and browsers without the Permissions API, give `'prompt'`. Never rejects.
 *
 * @example
 * ```ts
 * if ((await locationPermission()) === 'prompt') explanation.hidden = false; // before client.locate()
 * ```
 */
export const locationPermission = (): Promise<LocationPermission> => readPermission(readPage(globalThis, undefined), systemClock);
