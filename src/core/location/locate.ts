import type { LocationStep } from '../errors/errors.js';
import { numbered } from '../platform/portable.js';
import type { Clock } from '../platform/time.js';
import type { LocateRequest, LocationResult, LocationSource } from './source.js';

/** Tries each source in turn (specification, section 1). If none finds the player, `steps` says why. */
export async function findLocation(
  sources: readonly LocationSource[],
  { clientIP, deadline: ofCall, signal }: LocateRequest,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<LocationResult> {
  const deadline = Math.min(ofCall, clock.now() + timeoutMs);
  const steps: LocationStep[] = [];
  let advice: string | undefined;
  for (const [index, source] of numbered(sources)) {
    if (signal?.aborted) break;
    const found = await source.find({ clientIP, deadline, signal, isLast: index === sources.length - 1 });
    if (found.location) return { ...found, steps: [...steps, ...found.steps] };
    if (index === 0) advice = found.advice;
    steps.push(...found.steps);
  }
  return { location: undefined, steps, advice: advice ?? 'pass location, or call again later' };
}
