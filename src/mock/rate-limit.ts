/** How many requests the mock gateway accepts before it answers 429. */
export interface RateLimitOptions {
  /** The number of accepted requests. */
  readonly requests: number;
  /** The length of the period, in milliseconds. Default: 1,000. */
  readonly perMs?: number | undefined;
}

/** Takes a token. Returns the seconds to wait if there is none. */
export type RateLimiter = (now: number) => number | undefined;

/** A token bucket of `requests` tokens that fills evenly. Throws a `TypeError` for limits that would refuse every request. */
export function createRateLimiter({ requests, perMs = 1_000 }: RateLimitOptions): RateLimiter {
  if (!(requests >= 1 && requests < Number.POSITIVE_INFINITY && perMs > 0 && perMs < Number.POSITIVE_INFINITY)) {
    throw new TypeError('rateLimit needs requests of at least 1, and perMs above 0.');
  }
  let tokens = requests;
  let filled: number | undefined;
  return (now) => {
    tokens = Math.min(requests, tokens + (Math.max(0, now - (filled ?? now)) * requests) / perMs);
    filled = now;
    if (tokens < 1) return Math.max(1, Math.ceil(((1 - tokens) * perMs) / requests / 1_000));
    tokens -= 1;
    return undefined;
  };
}
