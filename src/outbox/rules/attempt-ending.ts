import type { Failure } from '../../core/delivery/channel.js';
import type { AttemptResult, FailedAttempt } from '../../core/delivery/send-once.js';
import type { ErrorCode } from '../../core/errors/errors.js';
import type { PauseReason } from './destination.js';
import type { Ending, Problem } from './state-machine.js';

const PAUSES: { readonly [Code in ErrorCode]?: PauseReason } = {
  authentication: 'authentication',
  'rate-limited': 'rate-limited',
  configuration: 'configuration',
  network: 'unreachable',
  // A timeout before any attempt comes from the function that returns the key: nothing was sent.
  timeout: 'configuration',
};

const KINDS: { readonly [Code in ErrorCode]?: 'not-found' | 'refused' } = {
  'not-found': 'not-found',
  'bad-request': 'refused',
  duplicate: 'refused',
  unprocessable: 'refused',
  validation: 'refused',
};

/** The meaning of an answer that concerns the destination. Undefined: the answer is about the report. */
type RefusalReading =
  | {
      readonly kind?: 'failed';
      readonly pause?: PauseReason;
      readonly code?: ErrorCode;
      readonly foreign?: true;
      readonly outcome?: 'unknown';
    }
  | undefined;

type ReadRefusal = (failure: Failure) => RefusalReading;

/** Runs one attempt and returns how it ended. Never rejects. */
export async function endingOf(attempt: () => Promise<AttemptResult>, readRefusal: ReadRefusal): Promise<Ending> {
  try {
    const result = await attempt();
    return result.kind === 'recorded' ? result : failed(result, readRefusal);
  } catch {
    return broken();
  }
}

export function failed(result: FailedAttempt, readRefusal: ReadRefusal): Ending {
  const { code, outcome, details, sent, message, requestId } = result;
  const { status, conflict, retryAfterMs, details: answered } = details ?? {};
  const { code: shownCode = conflict ? 'conflict' : code, ...read } = readRefusal(result) ?? {};
  const problem: Problem = {
    code: shownCode,
    message,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
    ...(answered !== undefined && { details: answered }),
  };
  // The attempt timed out before it was connected.
  const pause = code === 'timeout' && outcome !== 'unknown' && sent ? 'unreachable' : pauseFor(result);
  return {
    kind: code === 'duplicate' && !conflict ? 'same' : (KINDS[code] ?? 'failed'),
    outcome,
    problem,
    ...(pause !== undefined && { pause }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...read,
  };
}

/** The end of an attempt that did not begin, since wrong options keep the body sealed. */
export const misconfiguredEnding = (message: string): Ending => ({
  kind: 'failed',
  outcome: 'not-sent',
  problem: { code: 'configuration', message },
  pause: 'configuration',
});

/** The pause of a failure that concerns the destination. A connection that broke may concern the report. */
function pauseFor({ code, outcome, details }: Failure): PauseReason | undefined {
  if (details?.status === 503) return 'unavailable';
  if (details?.status === 429) return 'rate-limited';
  return outcome === 'unknown' ? undefined : PAUSES[code];
}

/** The attempt threw an unexpected error: whether the report arrived is unknown. */
const broken = (): Ending => ({
  kind: 'failed',
  outcome: 'unknown',
  problem: {
    code: 'gateway',
    message: 'The attempt ended with an unexpected error, which may contain personal data.',
  },
});

/** Statuses that concern the address or a proxy, and never the report. */
const ADDRESS_STATUSES: readonly (number | undefined)[] = [405, 407, 421];

/** Reads the answers of a gateway's address that quarantine no report: a refused key, or another server's. */
export function gatewayRefusal({ code, foreign, details }: Failure): RefusalReading {
  const status = details?.status ?? -1;
  if (code === 'duplicate') return undefined;
  if (status === 401 || status === 403) return { kind: 'failed', pause: 'authentication' };
  // A browser shows a redirect that it does not follow as status 0.
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  if (isRedirect || ADDRESS_STATUSES.includes(status)) return { kind: 'failed', pause: 'address' };
  if (!foreign) return undefined;
  // The code `not-found` is kept for the gateway's own 404, since a second one quarantines the report.
  if (status === 404)
    return code === 'network' ? { pause: 'address' } : { kind: 'failed', pause: 'address', code: 'gateway' };
  // A foreign answer without a status is a proxy that asks for a password.
  if (code === 'network' && status === -1) return { pause: 'address' };
  // A page of another server proves nothing about the report. Several in a row open the breaker.
  return status === 429 || status === 503 ? undefined : { kind: 'failed', outcome: 'unknown', foreign: true };
}

/**
 * Reads the statuses that mean something else from a relay. An answer about the session or the address quarantines no
 * report, since a page has no operator who could retry it.
 */
export function relayRefusal({ code, outcome, details }: Failure): RefusalReading {
  const status = details?.status;
  // A session check in front of the relay pauses. The relay's own 403 concerns this report alone, and a later attempt
  // may succeed.
  if (status === 403) return { kind: 'failed', ...(outcome === 'rejected' && { pause: 'authentication' }) };
  // The address has no relay, or not yet. It cannot mean a missing earlier report: a relay takes only initiated events.
  if (status === 404 || status === 405) return { kind: 'failed', pause: 'configuration' };
  // The body arrived too slowly. A page has no key function that could have timed out.
  return code === 'timeout' && outcome !== 'unknown' ? { pause: 'unreachable' } : undefined;
}
