import { type Broken, THE_HOST } from './transport.js';

interface NetworkFailure {
  /** The platform's own short code, for example `ECONNREFUSED`. Never its message, which may contain any data. */
  code: string | undefined;
  notSent: boolean;
  certificate: boolean;
}

/** The system calls of connecting. If one of them failed, nothing was sent, for any code. */
const CONNECTING = /^(?:connect|getaddrinfo|query[A-Z]\w*)$/;
/** Codes that only connecting has, unless the error names another system call. */
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/;
/** The message of Node.js for a connection that ended during the TLS handshake. */
const NO_HANDSHAKE = 'Client network socket disconnected before secure TLS connection was established';
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY|DECRYPT)_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/;
/** Undici's message for a proxy that refused the tunnel, so that no byte of the request was sent. */
const NO_TUNNEL = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/;
const NEVER_LEFT =
  /^(?:bad port|proxy \d{3}|TRANSPORT_CLOSED|PROXY_CLOSED|KY_NOT_LOADED|ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)$/;
/** The server ends the TLS handshake, since it does not speak HTTP/1.1. */
const NO_HTTP_1 = /NO_APPLICATION_PROTOCOL$/;
const MAX_CAUSES = 5;

interface Thrown {
  syscall?: unknown;
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** The innermost errors of a thrown value: its causes, and all of them if several addresses were tried. */
function roots(error: unknown, depth = 0): Thrown[] {
  const thrown = error as Thrown;
  const { errors, cause } = thrown;
  if (depth < MAX_CAUSES && Array.isArray(errors) && errors.length > 0)
    return errors.flatMap((inner) => roots(inner, depth + 1));
  if (depth < MAX_CAUSES && typeof cause === 'object' && cause !== null) return roots(cause, depth + 1);
  return [thrown];
}

/** A short name of the failure. Some errors have it only in their message. */
function codeOf({ code, message }: Thrown): string {
  const status = NO_TUNNEL.exec(String(message))?.[1];
  if (status) return `proxy ${status}`;
  return message === 'bad port' ? 'bad port' : String(code);
}

const failedToConnect = (root: Thrown): boolean =>
  typeof root.syscall === 'string'
    ? CONNECTING.test(root.syscall)
    : NOT_CONNECTED.test(codeOf(root)) || root.message === NO_HANDSHAKE;

/** The message of `nodeTransport` for a 407. The built-in `fetch` fails without a message. */
const PROXY_AUTHENTICATION = 'PROXY_AUTHENTICATION_REQUIRED';

export function readNetworkFailure(error: unknown): NetworkFailure {
  let codes: string[] = [];
  let unconnected = false;
  try {
    const found = roots(error).map((root) => ({ code: codeOf(root), connecting: failedToConnect(root) }));
    codes = found.map(({ code }) => code);
    unconnected = found.every(({ connecting }) => connecting);
  } catch {
    // An error that cannot be read gives no information.
  }
  const every = (pattern: RegExp) => codes.length > 0 && codes.every((code) => pattern.test(code));
  const certificate = every(CERTIFICATE);
  return {
    code: codes.find((code) => NEVER_LEFT.test(code) || /^[A-Z][A-Z0-9_]{2,48}$/.test(code)),
    certificate,
    notSent: certificate || unconnected || every(NEVER_LEFT),
  };
}

/**
 * `answered`: the headers had arrived, so the request had been sent. `unsent`: the transport itself reports that
 * nothing was sent.
 */
export function readBroken(error: unknown, answered: boolean, unsent = false): Broken {
  const { code, ...read } = readNetworkFailure(error);
  const certificate = read.certificate && !answered;
  const notSent = (read.notSent || unsent) && !answered;
  return {
    text: describeFailure({ code, notSent, certificate }),
    notSent,
    retryable: !certificate,
    foreign: code === PROXY_AUTHENTICATION,
  };
}

export const certificateAdvice = (code = ''): string =>
  /EXPIRED|NOT_YET_VALID/.test(code)
    ? "check this machine's clock; if it is right, tell the gateway's operator"
    : /ALTNAME|HOSTNAME/.test(code)
      ? 'the certificate is for another name: is the base address right?'
      : 'if your own authority has signed it: NODE_EXTRA_CA_CERTS=/path/to/authority.pem. Never set NODE_TLS_REJECT_UNAUTHORIZED';

export function describeFailure({ code, notSent, certificate }: NetworkFailure): string {
  const shown = code ? ` (${code})` : '';
  if (certificate) return `the certificate was refused${shown}; ${certificateAdvice(code)}`;
  if (code?.startsWith('proxy '))
    return `the proxy refused a tunnel to ${THE_HOST} (HTTP ${code.slice(-3)}); check its address, its password and which hosts it allows`;
  if (code === 'PROXY_CLOSED')
    return `the proxy closed the connection without opening a tunnel to ${THE_HOST}; check its address and which hosts it allows`;
  if (code === 'TRANSPORT_CLOSED') return 'the transport that you passed is closed; make a new one';
  if (code === 'KY_NOT_LOADED') return 'the package ky could not be loaded; install the dependencies again';
  if (code && NO_HTTP_1.test(code))
    return `${THE_HOST} speaks HTTP/2 only${shown}: pass nodeTransport({ dispatcher: new Agent({ allowH2: true }) })`;
  const hint = code?.startsWith('ERR_SSL') ? '; is it an http:// address?' : '';
  if (notSent) return `could not connect to ${THE_HOST}${shown}${hint || '; check its address and the network'}`;
  return `the connection broke before a complete answer came${shown}${hint}`;
}
