import type { LocationFailure } from '../errors.js';
import type { Location } from '../schema/location.js';
import type { Fetch, WebAbortSignal } from '../web-types.js';

/** What a lookup service knows of an address; `accuracy` in metres. */
export type IpLocation = Omit<Location, 'source'>;

export interface IpLookup {
  /** The address to look up; undefined for the caller's own. */
  readonly ip: string | undefined;
  readonly fetch: Fetch;
  /** Aborted when the time for the lookup is over. */
  readonly signal: WebAbortSignal;
}

/**
 * A service that tells where an address is. Write your own as a plain object; what it throws, and what it
 * returns without valid coordinates, makes the next one be asked.
 *
 * @example
 * ```ts
 * const ours: IpProvider = {
 *   name: 'ours',
 *   async lookup({ ip, fetch, signal }) {
 *     const init = { method: 'GET', headers: {}, signal };
 *     const answer = await fetch(`https://geo.example.com/${ip ?? 'me'}`, init);
 *     return JSON.parse(await answer.text());
 *   },
 * };
 * ```
 */
export interface IpProvider {
  /** Shown in the steps of a `LocationError`. */
  readonly name: string;
  lookup(request: IpLookup): Promise<IpLocation | undefined>;
}

/** Why a lookup failed, in words that hold no address. */
export class LookupFailure extends Error {
  constructor(
    readonly reason: LocationFailure,
    message: string,
    /** What the service said of when to come back: the header `Retry-After` as it is. */
    readonly retryAfter: string | null = null,
  ) {
    super(message);
  }
}
