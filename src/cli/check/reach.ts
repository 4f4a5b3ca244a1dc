import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { certificateAdvice } from '../../delivery/network-failure.js';
import { withTimeout } from '../../platform/time.js';
import { type CheckRun, limitOf, ok, type Result, skip, stop, warn } from './run.js';

const DAY_MS = 86_400_000;
/** The gateway's operator needs about this time to renew a certificate. */
const FEW_DAYS = 21;

/** Whether a connection to the gateway can be opened, and whether its certificate is accepted, and for how long. */
export async function openConnection(run: CheckRun): Promise<Result> {
  if (run.ownFetch) return skip('the options set fetch or transport, which makes its own connections');
  const { protocol, hostname, port } = new URL(run.gateway.baseUrl);
  const isSecure = protocol === 'https:';
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isSecure ? 443 : 80) };
  const servername = /^[\d.]+$|:/.test(place.host) ? '' : place.host;
  const shown = `${hostname}, port ${place.port},`;
  const began = performance.now();
  let socket: Socket | undefined;
  const opened = await withTimeout(
    () =>
      new Promise<SeenCertificate | undefined>((resolve, reject) => {
        // This connection sends no data. It only reads the certificate, even a refused one.
        const secure = isSecure ? connectTls({ ...place, servername, rejectUnauthorized: false }) : undefined;
        secure?.once('secureConnect', () => resolve(readCertificate(secure)));
        socket = secure ?? connect(place).once('connect', () => resolve(undefined));
        socket.on('error', reject);
      }),
    limitOf(run),
  );
  socket?.destroy();
  const elapsed = `${Math.round(performance.now() - began)} ms`;
  if (opened.ended !== 'done') {
    const why = opened.ended === 'failed' ? systemCodeOf(opened.error) : 'no answer in time';
    return stop(`${shown} cannot be reached (${why})`, `${proxyAdvice()}${adviceFor(why)}`);
  }
  if (!opened.value)
    return warn(
      `${shown} is open (${elapsed}), without TLS: the address begins with http://, so the key can be read on its way`,
      'fine for a mock gateway; otherwise use https://',
    );
  const result = judgeCertificate(opened.value, run.now());
  return { ...result, text: `${shown} answers: ${result.text} (${elapsed})` };
}

function adviceFor(why: string): string {
  if (/^(?:ENOTFOUND|EAI_AGAIN)$/.test(why))
    return 'is the base address spelt right, and does this machine use the right name server?';
  return /SSL|TLS|EPROTO|ECONNRESET/.test(why)
    ? 'does the server on this port speak TLS?'
    : 'a firewall may block it, or no server listens there';
}

/** The certificate of a server, even if the platform refuses it. */
export interface SeenCertificate {
  readonly authorized: boolean;
  /** The platform's code if the certificate is refused. */
  readonly problem: string;
  readonly protocol: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

function readCertificate(socket: TLSSocket): SeenCertificate {
  // Its type says Error, but Node.js sets it to the code as a text.
  const reason: unknown = socket.authorizationError;
  return {
    authorized: socket.authorized,
    problem: systemCodeOf(typeof reason === 'string' ? { code: reason } : reason),
    protocol: socket.getProtocol() ?? 'TLS',
    until: Date.parse(socket.getPeerCertificate().valid_to),
  };
}

/** Judges a certificate by its acceptance and its remaining days. */
export function judgeCertificate({ authorized, problem, protocol, until }: SeenCertificate, now: number): Result {
  if (!authorized) return stop(`the certificate is refused: ${problem}`, certificateAdvice(problem));
  const days = Math.floor((until - now) / DAY_MS);
  const text = `${protocol}, the certificate is valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  return days < FEW_DAYS ? warn(text, "tell the gateway's operator") : ok(text);
}

/** The platform's own short code, never its message. */
function systemCodeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,48}$/.test(code) ? code : 'unknown reason';
}

/** By default, fetch in Node.js ignores a proxy, and its errors do not say so. */
function proxyAdvice(): string {
  const variable = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => process.env[name]);
  return variable
    ? `${variable} is set, which Node.js's fetch does not use by itself: give the client transport: nodeTransport({ proxy: 'environment' }), in a file for --options. Or `
    : '';
}
