/** The part of the browser's Geolocation API that is used. */
export interface GeolocationLike {
  /** Calls one of the two back, once. */
  getCurrentPosition(
    success: (position: {
      /** Where the device is. */
      coords: {
        /** Degrees, north of the equator. */
        latitude: number;
        /** Degrees, east of Greenwich. */
        longitude: number;
        /** Metres, of a circle in which the device is with a likelihood of 95 %. */
        accuracy: number;
      };
      /** When it was measured, in milliseconds since 1970. */
      timestamp?: number;
    }) => void,
    failure: (error: {
      /** 1: not allowed; 2: not available; 3: not in time. */
      code: number;
      /** The browser's words. */
      message?: string;
    }) => void,
    options: {
      /** Whether the best that the device can do is asked for. */
      enableHighAccuracy: boolean;
      /** Milliseconds for the measurement. */
      timeout: number;
      /** Milliseconds that a position may be old. */
      maximumAge: number;
    },
  ): void;
}

export interface GeolocationSettings {
  readonly highAccuracy: boolean;
  /** The whole step by the wall clock, the player's thinking time included. */
  readonly timeoutMs: number;
  /** How old a position may be, the browser's or one that is remembered. */
  readonly maximumAgeMs: number;
  /** For how long a no, or a question that got no answer, keeps the browser from being asked again. */
  readonly denialMemoryMs: number;
}
