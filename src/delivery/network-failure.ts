import { type Broken, THE_HOST } from './transport.js';

export interface NetworkFailure {
  /** The platform's own short code, such as `ECONNREFUSED`; never its message, which may hold anything. */
  code: string | undefined;
  /** Whether the request certainly never left. */
  notSent: boolean;
  certificate: boolean;
}

const NOT_CONNECTED = /^(?:ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/;
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY|DECRYPT)_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/;
/** Undici's words for a proxy that opens no tunnel, so that nothing of the request went through it. */
const NO_TUNNEL = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/;
const NEVER_LEFT = /^(?:bad port|proxy \d{3}|TRANSPORT_CLOSED|PROXY_CLOSED|ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)$/;
/** The server ends the handshake of TLS, since it does not speak HTTP/1.1. */
const NO_HTTP_1 = /NO_APPLICATION_PROTOCOL$/;
const MAX_CAUSES = 5;

interface Thrown {
  /** Which system call failed; the same codes end connections that stood already. */
  syscall?: unknown;
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** The errors at the bottom of what `fetch` threw: its causes, and all of them where several addresses were tried. */
function roots(error: unknown, depth = 0): Thrown[] {
  const thrown = error as Thrown;
  const { errors, cause } = thrown;
  if (depth < MAX_CAUSES && Array.isArray(errors) && errors.length > 0) return errors.flatMap((inner) => roots(inner, depth + 1));
  if (depth < MAX_CAUSES && typeof cause === 'object' && cause !== null) return roots(cause, depth + 1);
  return [thrown];
}

/** A short name of what broke; some errors have it in their words alone. */
function codeOf({ code, message }: Thrown): string {
  const status = NO_TUNNEL.exec(String(message))?.[1];
  if (status) return `proxy ${status}`;
  return message === 'bad port' ? 'bad port' : String(code);
}

/** What `nodeTransport` says of a 407. The built-in `fetch` fails without a word. */
const OF_A_PROXY = 'PROXY_AUTHENTICATION_REQUIRED';

/** Reads what was thrown by a `fetch` that is not a browser's. */
export function readNetworkFailure(error: unknown): NetworkFailure {
  let codes: string[] = [];
  let connected = false;
  try {
    const found = roots(error);
    connected = found.some(({ syscall }) => typeof syscall === 'string' && !/^(?:connect|getaddrinfo)/.test(syscall));
    codes = found.map(codeOf);
  } catch {
    // An error that cannot be read tells nothing.
  }
  const every = (pattern: RegExp) => codes.length > 0 && codes.every((code) => pattern.test(code));
  const certificate = every(CERTIFICATE);
  return {
    code: codes.find((code) => NEVER_LEFT.test(code) || /^[A-Z][A-Z0-9_]{2,48}$/.test(code)),
    certificate,
    notSent: certificate || (!connected && every(NOT_CONNECTED)) || every(NEVER_LEFT),
  };
}

/**
 * What broke, read from what was thrown. `answered`: the headers had come, so that the request had left. `unsent`: the transport
 * itself knows that nothing had left.
 */
export function readBroken(error: unknown, answered: boolean, unsent = false): Broken {
  const { code, ...read } = readNetworkFailure(error);
  const certificate = read.certificate && !answered;
  const notSent = (read.notSent || unsent) && !answered;
  return { text: describeFailure({ code, notSent, certificate }), notSent, retryable: !certificate, foreign: code === OF_A_PROXY };
}

/** What to do about a certificate that was refused. */
export const certificateAdvice = (code = ''): string =>
  /EXPIRED|NOT_YET_VALID/.test(code)
    ? "look at this machine's clock; if it is right, tell the gateway's operator"
    : /ALTNAME|HOSTNAME/.test(code)
      ? 'the certificate is for another name: is the base address right?'
      : 'if an authority of your own has signed it: NODE_EXTRA_CA_CERTS=/path/to/authority.pem. Never NODE_TLS_REJECT_UNAUTHORIZED';

/** What broke, and what to look at. */
export function describeFailure({ code, notSent, certificate }: NetworkFailure): string {
  const shown = code ? ` (${code})` : '';
  if (certificate) return `the certificate was refused${shown}; ${certificateAdvice(code)}`;
  if (code?.startsWith('proxy '))
    return `the proxy opened no way to ${THE_HOST} (HTTP ${code.slice(-3)}); look at its address, its password and what it lets through`;
  if (code === 'PROXY_CLOSED') return `the proxy closed the connection and opened no way to ${THE_HOST}; look at its address and what it lets through`;
  if (code === 'TRANSPORT_CLOSED') return 'the transport that was passed is closed; make a new one';
  if (code && NO_HTTP_1.test(code)) return `${THE_HOST} speaks HTTP/2 only${shown}: pass nodeTransport({ dispatcher: new Agent({ allowH2: true }) })`;
  const hint = code?.startsWith('ERR_SSL') ? '; is it an http:// address?' : '';
  if (notSent) return `could not connect to ${THE_HOST}${shown}${hint || '; check its address and the network'}`;
  return `the connection broke before a whole answer came${shown}${hint}`;
}
