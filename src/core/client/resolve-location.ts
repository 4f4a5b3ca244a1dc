import { AbortedError, ConfigurationError, LocationError, TimeoutError } from '../errors/errors.js';
import { findLocation } from '../location/locate.js';
import { type LocationResult, withSource } from '../location/source.js';
import { FUNCTION_THREW, sentence, subjectOf } from '../platform/messages.js';
import type { Parameters } from './check-call.js';
import type { Settings } from './config.js';

export type LocationFound = Exclude<LocationResult, { readonly location: undefined }>;

interface Purpose {
  readonly operation: string;
  readonly reference: string | undefined;
  /** A time on the clock, in milliseconds. */
  readonly deadline: number;
  readonly required: boolean;
}

/** The caller's location, a fixed one, or one that is found. Undefined only if none is required. */
export function createLocationResolver(settings: Settings) {
  const { fixedLocations } = settings;
  let isTold = false;

  /** The invented location of mock mode would hide, until production, that no player can be located. */
  function tellOfAddress(clientIP: string | undefined): void {
    const line = isTold ? undefined : settings.hiddenByMock?.(clientIP);
    if (line === undefined) return;
    isTold = true;
    settings.logger.warn(line);
  }

  return async (
    { location, environment, clientIP, signal }: Parameters,
    purpose: Purpose,
  ): Promise<LocationFound | undefined> => {
    const given = location ?? fixedLocations[environment ?? 'production'];
    if (!location && given && settings.mockMode && purpose.required) tellOfAddress(clientIP);
    if (given) return { location: withSource(given, settings.location.sourceNames.provided), ageMs: 0, steps: [] };
    return searchLocation(settings, settings.location.timeoutMs, { environment, clientIP, signal }, purpose);
  };
}

/** Throws the error that says why no source gave a location. Undefined only if none is required. */
export async function searchLocation(
  { clock, onEvent, sources }: Pick<Settings, 'clock' | 'onEvent' | 'sources'>,
  timeoutMs: number,
  { environment, clientIP, signal }: Pick<Parameters, 'environment' | 'clientIP' | 'signal'>,
  { operation, reference, deadline, required }: Purpose,
): Promise<LocationFound | undefined> {
  const details = { operation, environment, reference };
  const subject = subjectOf(details);
  const found = await findLocation(sources, { clientIP, deadline, signal }, { timeoutMs, clock }).catch(() => {
    throw new ConfigurationError(`${subject}: ${FUNCTION_THREW}. Nothing was sent.`, details);
  });
  for (const { step, durationMs, reason } of found.steps)
    onEvent?.({ type: 'location-step', operation, environment, step, durationMs, reason });
  if (found.location) return found;

  const meanwhile = (what: string) => `${subject}: ${what} while the location was being found. Nothing was sent.`;
  if (signal?.aborted) throw new AbortedError(meanwhile('the call was cancelled by its signal'), details);
  if (clock.now() >= deadline)
    throw new TimeoutError(meanwhile('timed out (timeoutMs)'), { ...details, retryable: true });
  if (!required) return undefined;
  const steps = found.steps.map(({ step, reason, message }) => `\n  - ${step}: ${message} (${reason})`);
  const message = `${subject}: no location was found; ${sentence(found.advice ?? 'pass location')}${steps.join('')}\nNothing was sent.`;
  throw new LocationError(message, { ...details, steps: found.steps });
}
