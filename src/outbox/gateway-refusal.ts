import type { Failure } from '../delivery/verdict.js';
import type { RefusalReading } from './attempt-ending.js';

/** Statuses that speak of the address or of a proxy, and never of the report. */
const OF_THE_ADDRESS: readonly (number | undefined)[] = [405, 407, 421];

/**
 * What is wrong with the destination condemns no report: a refused key, and an answer that is not the gateway's. Undefined
 * where an answer is about the report.
 */
export function gatewayRefusal({ code, foreign, details }: Failure): RefusalReading {
  const status = details?.status ?? -1;
  if (code === 'duplicate') return undefined;
  if (status === 401 || status === 403) return { kind: 'failed', pause: 'authentication' };
  // A browser shows a redirect that it does not follow as status 0.
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  if (isRedirect || OF_THE_ADDRESS.includes(status)) return { kind: 'failed', pause: 'address' };
  if (!foreign) return undefined;
  // The code of a 404 must not be taken for that of the gateway's own, of which the second one condemns.
  if (status === 404) return code === 'network' ? { pause: 'address' } : { kind: 'failed', pause: 'address', code: 'gateway' };
  // Without a status it is a proxy that asks for a password.
  if (code === 'network' && status === -1) return { pause: 'address' };
  // A page that the gateway did not write proves nothing about the report: one alone may pass, and a run of them opens the breaker.
  return status === 429 || status === 503 ? undefined : { kind: 'failed', outcome: 'unknown', foreign: true };
}
