import type { LocationFailure } from '../errors.js';
import { type Clock, limited } from '../time.js';
import type { AbortSignalLike } from '../web-types.js';

/** The part of the browser's Geolocation API that is used. */
export interface GeolocationLike {
  getCurrentPosition(
    success: (position: { coords: { latitude: number; longitude: number; accuracy: number } }) => void,
    failure: (error: { code: number }) => void,
    options: { enableHighAccuracy: boolean; timeout: number; maximumAge: number },
  ): void;
}

export interface GeolocationSettings {
  readonly highAccuracy: boolean;
  /** The whole step by the wall clock, the player's thinking time included. */
  readonly timeoutMs: number;
  /** How old a position may be that the browser already has. */
  readonly maximumAgeMs: number;
}

export type Coordinates = { latitude: number; longitude: number; accuracy?: number };

export type PositionAttempt = { position: Coordinates; ageMs: number } | { position?: never; reason: LocationFailure; message: string };

interface Page {
  readonly geolocation: GeolocationLike | undefined;
  readonly secureContext: boolean;
  readonly clock: Clock;
}

/** The browser's geolocation, as one client asks it. */
export interface BrowserGeolocation {
  /** Settles once, within the limit; never rejects. */
  ask(limit: { milliseconds: number; signal: AbortSignalLike | undefined }): Promise<PositionAttempt>;
}

const FAILURES: Record<number, { reason: LocationFailure; message: string }> = {
  1: { reason: 'denied', message: 'the player, or a policy of the page, does not allow it' },
  2: { reason: 'position-unavailable', message: 'the device cannot tell where it is' },
  3: { reason: 'timeout', message: 'the device did not find its position in time' },
};

const UNAVAILABLE = { reason: 'position-unavailable', message: 'the browser gave no usable position' } as const;

/**
 * Asks the browser. The time is measured here: the browser's own `timeout` counts neither the prompt nor a
 * hidden page, and some WebViews never answer.
 */
export function createBrowserGeolocation(settings: GeolocationSettings, { geolocation, secureContext, clock }: Page): BrowserGeolocation {
  return {
    async ask({ milliseconds, signal }) {
      if (!secureContext) return { reason: 'insecure-context', message: 'browsers give a position to https pages only' };
      if (!geolocation) return { reason: 'not-available', message: 'this browser has no geolocation' };
      if (milliseconds <= 0) return { reason: 'timeout', message: 'the time for finding a location was over' };

      const asked = await limited<PositionAttempt>(
        () =>
          new Promise((resolve) => {
            geolocation.getCurrentPosition(
              (position) => resolve(readPosition(position)),
              (error) => resolve(FAILURES[error?.code] ?? UNAVAILABLE),
              { enableHighAccuracy: settings.highAccuracy, timeout: settings.timeoutMs, maximumAge: settings.maximumAgeMs },
            );
          }),
        { clock, milliseconds, signal },
      );
      if (asked.ended === 'done') return asked.value;
      if (asked.ended === 'timeout') return { reason: 'timeout', message: `no answer within ${milliseconds} ms; perhaps the player has not decided` };
      if (asked.ended === 'aborted') return { reason: 'aborted', message: 'the call was aborted' };
      return UNAVAILABLE;
    },
  };
}

/** What is no position must not throw: it would be thrown into the page, and the step would wait for its limit. */
function readPosition(position: { coords?: Partial<Coordinates> } | undefined): PositionAttempt {
  const { latitude, longitude, accuracy } = position?.coords ?? {};
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return UNAVAILABLE;
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return UNAVAILABLE;
  return { position: { latitude, longitude, ...(typeof accuracy === 'number' && Number.isFinite(accuracy) && { accuracy }) }, ageMs: 0 };
}
