import type { TLSSocket } from 'node:tls';
import { certificateAdvice } from '../../delivery/network-failure.js';
import type { Status } from './run.js';

/** The certificate of a server, even if the platform refuses it. */
export interface SeenCertificate {
  readonly authorized: boolean;
  /** The platform's code if the certificate is refused. */
  readonly problem: string;
  readonly protocol: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const DAY_MS = 86_400_000;
/** The gateway's operator needs about this time to renew a certificate. */
const FEW_DAYS = 21;

/** The platform's own short code, never its message. */
export function systemCodeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,48}$/.test(code) ? code : 'unknown reason';
}

export function readCertificate(socket: TLSSocket): SeenCertificate {
  // Its type says Error, but Node.js sets it to the code as a text.
  const reason: unknown = socket.authorizationError;
  return {
    authorized: socket.authorized,
    problem: systemCodeOf(typeof reason === 'string' ? { code: reason } : reason),
    protocol: socket.getProtocol() ?? 'TLS',
    until: Date.parse(socket.getPeerCertificate().valid_to),
  };
}

export function judgeCertificate({ authorized, problem, protocol, until }: SeenCertificate, now: number): { status: Status; text: string; advice?: string } {
  if (!authorized) return { status: 'fail', text: `the certificate is refused: ${problem}`, advice: certificateAdvice(problem) };
  const days = Math.floor((until - now) / DAY_MS);
  const text = `${protocol}, the certificate is valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  return days < FEW_DAYS ? { status: 'warn', text, advice: "tell the gateway's operator" } : { status: 'ok', text };
}
