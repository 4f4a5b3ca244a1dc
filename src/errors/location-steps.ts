/** One step of the location chain that gave no location. */
export interface LocationStep {
  /** `'browser-geolocation'`, `'client-ip'`, `'ip-lookup'` (no source is enabled), `'reverse-geocode'`, or the name of the lookup service. */
  readonly step: string;
  /** The reason, in a word for your branches. */
  readonly reason: LocationFailure;
  /** The reason, in a sentence. It contains no address and no coordinate. */
  readonly message: string;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
}

/** The step of the location chain that gave the location, or completed it. */
export interface FoundStep {
  /** `'browser-geolocation'`, the name of the lookup service, or `'reverse-geocode'`. */
  readonly step: string;
  /** How long the step took, in milliseconds. */
  readonly durationMs: number;
  /** Absent: this step found the location. */
  readonly reason?: never;
  /** Absent: this step found the location. */
  readonly message?: never;
}

/** Why a step of the location chain gave no location. */
export type LocationFailure =
  /** The page is not https. */
  | 'insecure-context'
  /** The browser has no geolocation, the step is disabled, or a database cannot be used. */
  | 'not-available'
  /** The player or the device denied permission. */
  | 'denied'
  /** A policy forbids it: the `Permissions-Policy` header, or an iframe without `allow="geolocation"`. */
  | 'blocked-by-policy'
  /** The page is in a hidden tab or window, where browsers may withhold the position. */
  | 'page-hidden'
  /** The device cannot determine its position. */
  | 'position-unavailable'
  /** No answer in time. */
  | 'timeout'
  /** The caller's signal cancelled the call. */
  | 'aborted'
  /** The lookup service answered that the rate limit is reached. */
  | 'refused'
  /** The service is paused, since it refused or was unreachable. */
  | 'resting'
  /** Another service, which ran in parallel, answered first. */
  | 'overtaken'
  /** The address is private or reserved. */
  | 'not-public'
  /** Could not connect to the service. */
  | 'unreachable'
  /** The service's answer contains no place. */
  | 'bad-answer'
  /** On a server, no `clientIP` was passed. */
  | 'no-address';
