import type { Failure } from '../delivery/verdict.js';
import type { RefusalReading } from './attempt-ending.js';

/**
 * Reads the statuses that mean something else from a relay than from a gateway. An answer about the session or the address
 * quarantines no report, since a page has no operator who could retry it. Undefined if the status means the same.
 */
export function relayRefusal({ code, outcome, details }: Failure): RefusalReading {
  const status = details?.status;
  // A session check in front of the relay pauses. The relay's own 403 concerns this report alone, and a later attempt may succeed.
  if (status === 403) return { kind: 'failed', ...(outcome === 'rejected' && { pause: 'authentication' }) };
  // The address has no relay, or not yet. It cannot mean a missing earlier report: a relay takes only initiated events.
  if (status === 404 || status === 405) return { kind: 'failed', pause: 'configuration' };
  // The body arrived too slowly. A page has no key function that could have timed out.
  return code === 'timeout' && outcome !== 'unknown' ? { pause: 'unreachable' } : undefined;
}
