/** The part of the browser's Geolocation API that the SDK uses. */
export interface GeolocationLike {
  /** Calls one of the two callbacks, once. */
  getCurrentPosition(
    success: (position: {
      /** The coordinates of the device. */
      coords: {
        /** Degrees, north of the equator. */
        latitude: number;
        /** Degrees, east of Greenwich. */
        longitude: number;
        /** In metres: the radius of the circle in which the device is with a probability of 95 %. */
        accuracy: number;
      };
      /** When the position was measured, in milliseconds since 1970. */
      timestamp?: number;
    }) => void,
    failure: (error: {
      /** 1: permission denied. 2: position unavailable. 3: timed out. */
      code: number;
      /** The browser's message. */
      message?: string;
    }) => void,
    options: {
      /** Whether to ask for the device's best accuracy. */
      enableHighAccuracy: boolean;
      /** The limit for the measurement, in milliseconds. */
      timeout: number;
      /** The greatest age of a cached position, in milliseconds. */
      maximumAge: number;
    },
  ): void;
}

export interface GeolocationSettings {
  readonly highAccuracy: boolean;
  /** The limit for the whole step by the wall clock, including the time in which the player decides. */
  readonly timeoutMs: number;
  /** The greatest age of a position, whether the browser's or a cached one. */
  readonly maximumAgeMs: number;
  /** How long the browser is not asked again after a refusal or an unanswered prompt. */
  readonly denialMemoryMs: number;
}
