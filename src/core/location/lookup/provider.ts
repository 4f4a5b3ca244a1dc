import type { LocationFailure } from '../../errors/errors.js';
import { underSymbol } from '../../platform/as-record.js';
import type { Fetch, WebAbortSignal } from '../../platform/web-types.js';
import type { Location } from '../../schema/location.js';

/** The place that a lookup service returns for an address; `accuracy` in metres. */
export type IpLocation = Omit<Location, 'source'>;

/** The input of one lookup. */
export interface IpLookupRequest {
  /** The address to look up. Undefined for the caller's own address. */
  readonly ip: string | undefined;
  /** The `fetch` to use for the request. */
  readonly fetch: Fetch;
  /** Aborted when the time for the lookup is over. */
  readonly signal: WebAbortSignal;
}

/**
 * A service that finds the place of an address. Write your own as a plain object. If it throws, or returns no valid
 * coordinates, the next service is tried. A `LookupFailure` also says why.
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
  /** Finds the place of an address. Rejects if it cannot. */
  lookup(request: IpLookupRequest): Promise<IpLocation | undefined>;
}

const BRAND = Symbol.for('location-sdk.lookup-failure');

/**
 * Why a lookup failed. A provider throws it to decide what happens next. After `'refused'` the service is paused for
 * `location.ip.restMs`, or for as long as the service asked. After `'unreachable'` it is paused for 5 s at most. The
 * message is shown in steps and errors, so put no address and no coordinates in it.
 *
 * @example
 * ```ts
 * throw new LookupFailure('refused', 'the quota of the day is used up', 'Sat, 21 Nov 2026 00:00:00 GMT');
 * ```
 */
export class LookupFailure extends Error {
  constructor(
    /** The reason, as the steps of a `LocationError` show it. */
    readonly reason: LocationFailure,
    message: string,
    /** When to try again: seconds or a date, as in the header `Retry-After`. */
    readonly retryAfter: string | null = null,
  ) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Also recognises an instance from another copy of the package. */
export const isLookupFailure = (error: unknown): error is LookupFailure => underSymbol(error, BRAND) === true;
