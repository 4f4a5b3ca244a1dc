import { seconds, subjectOf } from '../platform/messages.js';
import { safeCallback } from '../platform/safe-callback.js';
import type { AttemptEvent } from './events.js';
import type { AnyReport } from './frozen-report.js';
import type { AttemptResult } from './send-once.js';
import type { DeliverySettings } from './settings.js';

/** Makes an attempt, and reports its start and its end. An error of a listener, a logger or a clock changes nothing. */
export async function tellOfAttempt(
  report: AnyReport,
  { clock, debug, onEvent }: Pick<DeliverySettings, 'clock' | 'debug' | 'onEvent'>,
  attempt: number | undefined,
  send: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  if (!onEvent && !debug) return send();
  const { operation, environment, reference } = report;
  const about = { operation, environment, reference };
  const tell = safeCallback((work: () => void) => work());
  const line = (what: string) => debug?.(`${subjectOf(report)}: attempt ${attempt === undefined ? '' : `${attempt} `}${what}`);
  let began = 0;
  tell(() => {
    began = clock.now();
    line('begins');
    onEvent?.({ type: 'attempt-started', ...about });
  });
  const result = await send();
  const { outcome, code } = result.kind === 'recorded' ? { outcome: result.relayReceipt?.outcome ?? ('recorded' as const), code: undefined } : result.failure;
  tell(() => {
    const { requestId } = result;
    const durationMs = Math.max(0, clock.now() - began);
    line(
      `ended after ${seconds(durationMs)}: ${result.kind === 'recorded' ? outcome : result.failure.text}${requestId === undefined ? '' : ` (request ${requestId})`}`,
    );
    const event: AttemptEvent = { type: 'attempt-ended', ...about, outcome, code, durationMs, requestId };
    onEvent?.(event);
  });
  return result;
}
