import { safeCallback } from '../platform/safe-callback.js';
import type { Clock } from '../platform/time.js';
import type { AttemptEvent } from './events.js';
import type { AnyReport } from './frozen.js';
import type { AttemptResult } from './send-once.js';

/** Makes an attempt, and tells of its beginning and its end. A listener or a clock that throws costs nothing. */
export async function tellOfAttempt(
  { operation, environment, reference }: AnyReport,
  { clock, onEvent }: { readonly clock: Clock; readonly onEvent: ((event: AttemptEvent) => void) | undefined },
  send: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  if (!onEvent) return send();
  const about = { operation, environment, reference };
  const tell = safeCallback((event: () => AttemptEvent) => onEvent(event()));
  let began = 0;
  tell(() => {
    began = clock.now();
    return { type: 'attempt-started', ...about };
  });
  const result = await send();
  const { outcome, code } = result.kind === 'recorded' ? { outcome: result.relayReceipt?.outcome ?? ('recorded' as const), code: undefined } : result.failure;
  tell(() => ({ type: 'attempt-ended', ...about, outcome, code, durationMs: Math.max(0, clock.now() - began), requestId: result.requestId }));
  return result;
}
