import type { Failure } from '../delivery/verdict.js';
import type { RefusalReading } from './attempt-ending.js';

/**
 * What the status of a relay means beside what a gateway's would: an answer about the session or the address condemns no
 * report, since nobody sits in a page to take it up again. Undefined where it means the same.
 */
export function relayRefusal({ code, outcome, details }: Failure): RefusalReading {
  const status = details?.status;
  // The operator's session check in front of the relay; but the relay's own 403 is about this report, which may be taken another day.
  if (status === 403) return { kind: 'failed', ...(outcome === 'rejected' && { pause: 'authentication' }) };
  // There is no relay at that address, or not yet. It takes the initiated events, which wait for nothing that could be missing.
  if (status === 404 || status === 405) return { kind: 'failed', pause: 'configuration' };
  // A body that was too slow; a key that does not come is the relay's own affair.
  return code === 'timeout' && outcome !== 'unknown' ? { pause: 'unreachable' } : undefined;
}
