import type { Delivered } from '../delivery/deliver.js';
import { type ErrorCode, type ErrorOutcome, isReportingError, type ReportingError } from '../errors.js';
import { RELAY_ONLY } from '../relay-only.js';
import type { PauseReason } from './pause.js';
import type { Ending, Problem } from './record.js';

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
export type Otherwise = { readonly kind?: 'failed'; readonly pause?: PauseReason; readonly code?: ErrorCode } | undefined;

/** Reads an answer of one kind of destination: a gateway or a relay. */
export type ReadRefusal = (error: ReportingError) => Otherwise;

/** Runs one attempt and says how it ended; never rejects. */
export async function endingOf(attempt: () => Promise<Delivered>, otherwise: ReadRefusal): Promise<Ending> {
  try {
    const { message, told } = await attempt();
    return { kind: 'recorded', message, ...(told && { outcome: told.outcome }) };
  } catch (error) {
    return isReportingError(error) ? failed(error, otherwise) : broken();
  }
}

/** What an error of one attempt means for its row. */
export function failed(error: ReportingError, otherwise?: ReadRefusal): Ending {
  const { code, message, status, outcome } = error;
  const { conflict, retryAfterMs } = error as { conflict?: boolean; retryAfterMs?: number };
  const { code: instead = code, ...read } = otherwise?.(error) ?? {};
  const problem: Problem = { code: instead, message, ...(status !== undefined && { status }), ...(conflict !== undefined && { conflict }) };
  // A try that found no connection in time.
  const waited = !RELAY_ONLY && code === 'timeout' && outcome !== 'unknown' && error.attempts > 0;
  const pause = waited ? 'unreachable' : pauseFor(code, status, outcome);
  return {
    kind: code === 'duplicate' ? (conflict ? 'conflict' : 'same') : (KINDS[code] ?? 'failed'),
    outcome,
    problem,
    ...(pause !== undefined && { pause }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...read,
  };
}

/** What is wrong with the destination rather than with the report. A connection that broke on the way may be either. */
function pauseFor(code: ErrorCode, status: number | undefined, outcome: ErrorOutcome): PauseReason | undefined {
  if (status === 503) return 'unavailable';
  if (status === 429) return 'rate-limited';
  return outcome === 'unknown' ? undefined : PAUSES[code];
}

/** Something that should not throw threw: nobody knows what became of the attempt. */
const broken = (): Ending => ({
  kind: 'failed',
  outcome: 'unknown',
  problem: { code: 'gateway', message: 'The attempt ended with an error that is not of this package; it is not shown, since it may hold anything.' },
});
