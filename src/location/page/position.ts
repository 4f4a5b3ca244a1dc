import type { LocationFailure } from '../../errors/errors.js';
import { type Page, unlessThrown } from './page.js';

export type Coordinates = { latitude: number; longitude: number; accuracy?: number };

/** A position, and the time on the clock at which the device was there. */
export interface Fix {
  readonly position: Coordinates;
  readonly takenAt: number;
}

/** Why there is no position. */
export interface NoFix {
  readonly position: undefined;
  readonly reason: LocationFailure;
  /** Our own words: the browser's message is not shown. */
  readonly message: string;
}

/** Whether asking again, or with lower accuracy, is useless for a while. */
export const isPermissionRefusal = ({ reason }: NoFix) => reason !== 'timeout' && reason !== 'position-unavailable';

export const noFix = (reason: LocationFailure, message: string): NoFix => ({ position: undefined, reason, message });

/** Ten years. An older timestamp is ignored, and so is one in the future: some browsers count in seconds, from 2001, or from the start of the device. */
const OLDEST_MS = 315_360_000_000;

/** A position without an accuracy counts as less accurate than any other. */
export const isMoreAccurate = (one: Fix, other: Fix) => (one.position.accuracy ?? Infinity) < (other.position.accuracy ?? Infinity);

/** Reads the browser's position. Undefined if it is not valid. Never throws: the error would reach the page. */
export function readPosition(position: unknown, now: number): Fix | undefined {
  return unlessThrown(() => {
    const { coords, timestamp } = position as { coords: Record<keyof Coordinates, unknown>; timestamp: unknown };
    const { latitude, longitude, accuracy } = coords;
    if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
    if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined;
    const age = now - Number(timestamp);
    return {
      position: { latitude, longitude, ...(typeof accuracy === 'number' && Number.isFinite(accuracy) && { accuracy }) },
      takenAt: age >= 0 && age < OLDEST_MS ? now - age : now,
    };
  });
}

export const UNAVAILABLE = noFix('position-unavailable', 'the browser gave no usable position');

export const OUTDATED = noFix('position-unavailable', 'the browser gave only an old position');

/** Reads why the browser failed. Never throws. */
export function readFailure(error: unknown, page: Page): NoFix {
  const code = unlessThrown(() => (error as { code: unknown }).code);
  if (code === 2) return noFix('position-unavailable', 'the device cannot determine its position');
  if (code === 3) return noFix('timeout', 'the device did not find its position in time');
  if (code !== 1) return UNAVAILABLE;
  // Browsers have one code for every refusal. If the browser does not expose the policy, its message may mention it.
  const isPolicy = page.isForbidden() || unlessThrown(() => /policy/i.test((error as { message: string }).message));
  return isPolicy
    ? noFix('blocked-by-policy', 'the Permissions Policy of the page or frame forbids geolocation')
    : noFix('denied', 'the player or the device denied permission');
}
