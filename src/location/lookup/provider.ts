import type { LocationFailure } from '../../errors/errors.js';
import type { Fetch, WebAbortSignal } from '../../platform/web-types.js';
import type { Location } from '../../schema/location.js';

/** What a lookup service knows of an address; `accuracy` in metres. */
export type IpLocation = Omit<Location, 'source'>;

/** What a provider is asked. */
export interface IpLookupRequest {
  /** The address to look up; undefined for the caller's own. */
  readonly ip: string | undefined;
  /** What the service is to be asked with. */
  readonly fetch: Fetch;
  /** Aborted when the time for the lookup is over. */
  readonly signal: WebAbortSignal;
}

/**
 * A service that tells where an address is. Write your own as a plain object; what it throws, and what it
 * returns without valid coordinates, makes the next one be asked. A `LookupFailure` also says why.
 *
 * @example
 * ```ts
 * const ours: IpProvider = {
 *   name: 'ours',
 *   async lookup({ ip, fetch, signal }) {
 *     const answer = await fetch(`https://geo.example.com/${ip ?? 'me'}`, { method: 'GET', headers: {}, signal });
 *     if (answer.status === 429) throw new LookupFailure('refused', 'too many requests', answer.headers.get('retry-after'));
 *     return JSON.parse(await answer.text());
 *   },
 * };
 * ```
 */
export interface IpProvider {
  /** Shown in the steps of a `LocationError`. */
  readonly name: string;
  /** Finds the place of an address; rejects where it cannot. */
  lookup(request: IpLookupRequest): Promise<IpLocation | undefined>;
}

const BRAND = Symbol.for('location-sdk.lookup-failure');

/**
 * Why a lookup failed. A provider that throws it decides what happens next: after `'refused'` the service rests for
 * `location.ip.restMs`, or as long as it said itself; after `'unreachable'` for 5 s at most. Its words are shown in steps
 * and errors, so no address and no coordinate belongs in them.
 *
 * @example
 * ```ts
 * throw new LookupFailure('refused', 'the quota of the day is used up', 'Sat, 21 Nov 2026 00:00:00 GMT');
 * ```
 */
export class LookupFailure extends Error {
  constructor(
    /** Why, as the steps of a `LocationError` say it. */
    readonly reason: LocationFailure,
    message: string,
    /** When to come back: seconds or a date, as the header `Retry-After` has it. */
    readonly retryAfter: string | null = null,
  ) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Also one of another copy of the package. */
export const isLookupFailure = (error: unknown): error is LookupFailure =>
  typeof error === 'object' && error !== null && (error as { [BRAND]?: unknown })[BRAND] === true;
