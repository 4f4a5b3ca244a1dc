import type { AttemptResult, FailedAttempt } from '../delivery/send-once.js';
import type { Failure } from '../delivery/verdict.js';
import type { ErrorCode } from '../errors/errors.js';
import type { PauseReason } from './destination.js';
import type { Ending, Problem } from './state-machine.js';

const PAUSES: { readonly [Code in ErrorCode]?: PauseReason } = {
  authentication: 'authentication',
  'rate-limited': 'rate-limited',
  configuration: 'configuration',
  network: 'unreachable',
  // Without doubt, and before any attempt, it was the function that gives the key: nothing had left.
  timeout: 'configuration',
};

const KINDS: { readonly [Code in ErrorCode]?: 'not-found' | 'refused' } = {
  'not-found': 'not-found',
  'bad-request': 'refused',
  unprocessable: 'refused',
  validation: 'refused',
};

/** What an answer says of the destination, where it says nothing of the report. */
export type RefusalReading =
  | { readonly kind?: 'failed'; readonly pause?: PauseReason; readonly code?: ErrorCode; readonly foreign?: true; readonly outcome?: 'unknown' }
  | undefined;

/** Reads an answer of one kind of destination: a gateway or a relay. */
export type ReadRefusal = (failure: Failure) => RefusalReading;

/** Runs one attempt and says how it ended; never rejects. */
export async function endingOf(attempt: () => Promise<AttemptResult>, otherwise: ReadRefusal): Promise<Ending> {
  try {
    const result = await attempt();
    if (result.kind !== 'recorded') return failed(result, otherwise);
    const { words, relayReceipt, requestId } = result;
    return { kind: 'recorded', message: words, ...(requestId !== undefined && { requestId }), ...(relayReceipt && { outcome: relayReceipt.outcome }) };
  } catch {
    return broken();
  }
}

/** What a failed attempt means for its row. */
export function failed({ kind, failure, sent, message, requestId }: FailedAttempt, otherwise: ReadRefusal): Ending {
  const { code, outcome, details } = failure;
  const { status, conflict, retryAfterMs, details: answered } = details ?? {};
  const { code: instead = code, ...read } = otherwise(failure) ?? {};
  const problem: Problem = {
    code: instead,
    message,
    ...(status !== undefined && { status }),
    ...(conflict !== undefined && { conflict }),
    ...(requestId !== undefined && { requestId }),
    ...(answered !== undefined && { details: answered }),
  };
  // A try that found no connection in time.
  const pause = code === 'timeout' && outcome !== 'unknown' && sent ? 'unreachable' : pauseFor(failure);
  return {
    kind: kind === 'same' ? kind : code === 'duplicate' ? 'conflict' : (KINDS[code] ?? 'failed'),
    outcome,
    problem,
    ...(pause !== undefined && { pause }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...read,
  };
}

/** The end of an attempt that was not begun, since the options do not fit: its bytes cannot be opened. */
export const misconfiguredEnding = (message: string): Ending => ({
  kind: 'failed',
  outcome: 'not-sent',
  problem: { code: 'configuration', message },
  pause: 'configuration',
});

/** What is wrong with the destination rather than with the report. A connection that broke on the way may be either. */
function pauseFor({ code, outcome, details }: Failure): PauseReason | undefined {
  if (details?.status === 503) return 'unavailable';
  if (details?.status === 429) return 'rate-limited';
  return outcome === 'unknown' ? undefined : PAUSES[code];
}

/** The attempt threw, which it should not: whether the report arrived is unknown. */
const broken = (): Ending => ({
  kind: 'failed',
  outcome: 'unknown',
  problem: { code: 'gateway', message: 'The attempt ended with an error that is not of this package; it is not shown, since it may hold anything.' },
});
