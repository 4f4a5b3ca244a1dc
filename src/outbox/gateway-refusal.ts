import type { Failure } from '../delivery/verdict.js';
import type { RefusalReading } from './attempt-ending.js';

/** Statuses that concern the address or a proxy, and never the report. */
const OF_THE_ADDRESS: readonly (number | undefined)[] = [405, 407, 421];

/**
 * Reads answers that concern the destination, such as a refused key or an answer of another server. They quarantine no report.
 * Undefined if the answer is about the report.
 */
export function gatewayRefusal({ code, foreign, details }: Failure): RefusalReading {
  const status = details?.status ?? -1;
  if (code === 'duplicate') return undefined;
  if (status === 401 || status === 403) return { kind: 'failed', pause: 'authentication' };
  // A browser shows a redirect that it does not follow as status 0.
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  if (isRedirect || OF_THE_ADDRESS.includes(status)) return { kind: 'failed', pause: 'address' };
  if (!foreign) return undefined;
  // The code `not-found` is kept for the gateway's own 404, since a second one quarantines the report.
  if (status === 404) return code === 'network' ? { pause: 'address' } : { kind: 'failed', pause: 'address', code: 'gateway' };
  // A foreign answer without a status is a proxy that asks for a password.
  if (code === 'network' && status === -1) return { pause: 'address' };
  // A page of another server proves nothing about the report. Several in a row open the breaker.
  return status === 429 || status === 503 ? undefined : { kind: 'failed', outcome: 'unknown', foreign: true };
}
