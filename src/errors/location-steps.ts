/** One step of the location chain that gave no location. */
export interface LocationStep {
  /** `'browser-geolocation'`, `'client-ip'`, `'ip-lookup'` (no source is enabled), `'reverse-geocode'`, or the name of the lookup service. */
  readonly step: string;
  /** Why, in a word to branch on. */
  readonly reason: LocationFailure;
  /** Why, in a sentence; never an address or a coordinate. */
  readonly message: string;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
}

/** The step of the location chain that gave the location, or completed it. */
export interface FoundStep {
  /** `'browser-geolocation'`, the name of the lookup service, or `'reverse-geocode'`. */
  readonly step: string;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** None: this step found the location. */
  readonly reason?: never;
  /** None: this step found the location. */
  readonly message?: never;
}

/** Why a step of the location chain gave no location. */
export type LocationFailure =
  /** The page is not https. */
  | 'insecure-context'
  /** The browser has no geolocation, the step is switched off, or a database cannot be used. */
  | 'not-available'
  /** The player, or the device, does not allow it. */
  | 'denied'
  /** A policy does not allow it: the `Permissions-Policy` header, or an iframe without `allow="geolocation"`. */
  | 'blocked-by-policy'
  /** The page is in a hidden tab or window, where browsers may keep a position back. */
  | 'page-hidden'
  /** The device does not know. */
  | 'position-unavailable'
  /** No answer in time. */
  | 'timeout'
  /** The caller's signal ended it. */
  | 'aborted'
  /** The service takes no more requests for now. */
  | 'refused'
  /** The service is left alone for a while, since it refused or could not be reached. */
  | 'resting'
  /** Another service, started beside it, answered first. */
  | 'overtaken'
  /** The address is a private or reserved one. */
  | 'not-public'
  /** The service could not be reached. */
  | 'unreachable'
  /** The service's answer holds no place. */
  | 'bad-answer'
  /** On a server, no `clientIP` was passed. */
  | 'no-address';
