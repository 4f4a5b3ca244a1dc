import { ValidationError } from '../errors/errors.js';
import { BROWSER_TIMEOUT_MS, CHAIN_TIMEOUT_MS, DENIAL_MEMORY_MS, GPS, MAXIMUM_AGE_MS } from '../location/defaults.js';
import { devicePosition } from '../location/page/device-position.js';
import type { LocationSource } from '../location/source.js';
import { LONGEST_TIMER_MS, systemClock } from '../platform/time.js';
import { defaultClient } from './default-client.js';
import type { CallOptions } from './options.js';
import type { LocateResult } from './receipt.js';
import { type LocationFound, searchLocation } from './resolve-location.js';

const SETTINGS = {
  browser: {
    enabled: true,
    highAccuracy: true,
    timeoutMs: BROWSER_TIMEOUT_MS,
    maximumAgeMs: MAXIMUM_AGE_MS,
    denialMemoryMs: DENIAL_MEMORY_MS,
  },
  sourceNames: { gps: GPS },
};

/** One for all calls, since it remembers the last position and a refusal. */
let device: LocationSource | undefined;

/**
 * Finds the position of the player's device, for a report that your own backend makes. Needs no client and no
 * `configure`: it asks the browser once for calls at the same time, uses a position again for a minute, and does not
 * ask again for a minute after the player refused. After `configure` it is `Client.locate` of the default client.
 *
 * Send the result to your own route, and read it there with `pageLocation`. Rejects with a `LocationError` if the
 * browser gives no position within 10 s, or within `timeoutMs` if that is shorter; its `steps` say why. Your backend
 * then looks up `clientIP`. Rejects with an `AbortedError` if `signal` is aborted, and with a `TimeoutError` if
 * `timeoutMs`, in milliseconds, is over first.
 *
 * @example
 * ```ts
 * const location = await locate().catch(() => undefined);
 * await fetch('/bets', { method: 'POST', headers, body: JSON.stringify({ stake, location }) });
 * ```
 */
export async function locate(options: Pick<CallOptions, 'signal' | 'timeoutMs'> = {}): Promise<LocateResult> {
  const client = defaultClient();
  if (client) return client.locate(options);
  const { signal, timeoutMs = LONGEST_TIMER_MS } = options;
  requireMilliseconds('locate', timeoutMs);
  device ??= devicePosition(SETTINGS, {
    scope: globalThis,
    geolocation: undefined,
    clock: systemClock,
    onEvent: undefined,
  });
  const found = await searchLocation(
    { clock: systemClock, onEvent: undefined, sources: [device] },
    CHAIN_TIMEOUT_MS,
    { environment: undefined, clientIP: undefined, signal },
    { operation: 'locate', reference: undefined, deadline: systemClock.now() + timeoutMs, required: true },
  );
  const { location, ageMs, steps } = found as LocationFound;
  return { ...location, ageMs, steps };
}

type Operation = 'locate' | 'postOnce';

/** As `locate` of a client checks it. Types hold the rest. */
export function requireMilliseconds(operation: Operation, timeoutMs: unknown): void {
  const isRight = typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS;
  requireThat(isRight, operation, 'timeoutMs', `expected a number of milliseconds from 1 to ${LONGEST_TIMER_MS}`);
}

/** With the words of a client, whose list of problems would be a tenth of the file. */
export function requireThat(isRight: unknown, operation: Operation, path: string, message: string): void {
  if (isRight) return;
  const issues = [{ path, code: 'invalid' as const, message }];
  throw new ValidationError(`${operation}: 1 problem:\n  - ${path}: ${message}\nNothing was sent.`, {
    operation,
    issues,
  });
}
