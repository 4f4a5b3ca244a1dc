import { ConfigurationError } from '../../errors/errors.js';
import { unlessThrown } from '../../platform/unless-thrown.js';
import { type Address, findRange, parseAddress, untranslated } from './address.js';
import { MOST_PROXIES, readTrustOptions, type Trust, type TrustedProxies } from './trusted-proxies.js';

/**
 * The parts of a request that are read: a request of Node.js and frameworks on it (Express, Fastify), or a web
 * `Request`.
 */
export interface IncomingRequest {
  /** Headers of Node.js, or the platform's `Headers`. */
  readonly headers:
    | {
        /** One header, by its name. */
        get(name: string): string | null;
      }
    | { readonly [name: string]: string | readonly string[] | undefined };
  /** The connection: from the player, or from the last proxy. A web `Request` has none. */
  readonly socket?:
    | {
        /** The address of the peer. */
        readonly remoteAddress?: string | undefined;
      }
    | null
    | undefined;
  /** Header names and values as received. They show whether a header came in several lines. */
  readonly rawHeaders?: readonly string[] | undefined;
}

/** The options of `clientIpFrom`. */
export interface ClientIpFromOptions {
  /**
   * Which proxies may name the player's address. Default: none, only the socket's address is used.
   *
   * - A list of your proxies: addresses, ranges such as `'10.0.0.0/8'`, and the groups `'loopback'`, `'link-local'` and
   * `'private'`. The nearest address that is not among them is the player's.
   * - The number of proxies, as Express counts them in `trust proxy`: 1 means that the last entry of `X-Forwarded-For`
   * is the player's. Each proxy must set the header, and no client may be able to bypass them. 0 to 32.
   * - A platform, such as `'cloudflare'`, if every request reaches your server through it.
   */
  readonly trustedProxies?: TrustedProxies | undefined;
  /**
   * The address of the connection, if the request does not have it: for a web `Request`. It takes precedence over the
   * request's socket.
   */
  readonly remoteAddress?: string | undefined;
}

const FORWARDED_FOR = 'x-forwarded-for';

const LONGEST_ENTRY = 100;

/**
 * Reads an address as proxies and sockets write it: with spaces around it, a port, or the zone of a link-local address.
 */
function readEntry(entry: unknown): Address | undefined {
  if (typeof entry !== 'string' || entry.length > LONGEST_ENTRY) return undefined;
  const text = entry.replace(/^[ \t]+|[ \t]+$/g, '');
  const {
    v6,
    v4 = '',
    port = '0',
  } = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[0-9.]+))(?::(?<port>[0-9]{1,5}))?$/.exec(text)?.groups ?? {};
  if (Number(port) > 65_535) return undefined;
  if (v4) return parseAddress(v4);
  const zoneless = (v6 ?? text).replace(/^(fe[89ab][0-9a-f]:[0-9a-f:]*)%[\w.-]{1,32}$/i, '$1');
  const address = zoneless.includes(':') ? parseAddress(zoneless) : undefined;
  // Translated before it is compared: the range of a proxy must also match behind a translator.
  return address && untranslated(address);
}

/** The lines of a header, the nearest proxy's last. Undefined if their order is unknown. */
function readLines(headers: IncomingRequest['headers'], name: string): readonly string[] | undefined {
  if (typeof headers.get === 'function') {
    const line: unknown = headers.get(name);
    return typeof line === 'string' ? [line] : [];
  }
  const [key, ...more] = Object.keys(headers).filter((key) => key.length === name.length && key.toLowerCase() === name);
  if (key === undefined) return [];
  const value: unknown = more.length === 0 ? (headers as Readonly<Record<string, unknown>>)[key] : undefined;
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value : undefined;
}

/** The entries of a header, the nearest proxy's first. */
const entriesOf = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(',')).reverse();

/** Whether a platform's header has the form that the platform sends. */
function isAsSent({ rawHeaders }: IncomingRequest, lines: readonly string[], expected: 'one' | 'one-entry'): boolean {
  // Node.js joins several lines, and only its raw headers still show them.
  const count = Array.isArray(rawHeaders)
    ? rawHeaders.filter((text, index) => index % 2 === 0 && String(text).toLowerCase() === FORWARDED_FOR).length
    : undefined;
  if (lines.length > 1 || (count ?? 1) > 1) return false;
  return expected === 'one' || count === 1 || !lines.some((line) => line.includes(','));
}

function findClient(request: IncomingRequest, remoteAddress: unknown, trust: Trust): Address | undefined {
  const lines = () => readLines(request.headers, trust.by === 'header' ? trust.name : FORWARDED_FOR) ?? [];
  if (trust.by === 'header') {
    const [line, ...more] = lines();
    return more.length === 0 ? readEntry(line) : undefined;
  }
  if (trust.by === 'count') {
    const found = lines();
    if (trust.lines && !isAsSent(request, found, trust.lines)) return undefined;
    const proxies = entriesOf(found).slice(0, trust.count).map(readEntry);
    return proxies.includes(undefined) ? undefined : proxies[trust.count - 1];
  }
  const remote = readEntry(remoteAddress ?? request.socket?.remoteAddress);
  if (!remote || !findRange(remote, trust.ranges)) return remote;
  for (const entry of entriesOf(lines()).slice(0, MOST_PROXIES)) {
    const client = readEntry(entry);
    if (!client || !findRange(client, trust.ranges)) return client;
  }
  return undefined;
}

/**
 * Reads the player's IP address from a request to your server (specification, section 1). Pass it as `clientIP`. It is
 * undefined if the address cannot be determined; the report then fails with a `LocationError` and is not sent with a
 * wrong location.
 *
 * By default the function returns the address of the connection and ignores all headers, since any client can write
 * them. With `trustedProxies` it reads `X-Forwarded-For` from the right, where your proxies add their entries, or the
 * header of your platform. It stops at the first address that is not one of your proxies, so it never reads the entries
 * that a player wrote. It returns undefined if the header is too short, if an entry is not an IP address, or if every
 * entry is a proxy.
 *
 * List your proxies exactly. If a player's own address is in the list, for example in your network or VPN, the function
 * skips it as a proxy and believes the entry before it, which the player can forge.
 *
 * An IPv4 address within an IPv6 one (`::ffff:0:0/96`, `64:ff9b::/96`) is returned as IPv4; ports and zones are
 * removed. The address may be private; the error about `clientIP` then names the likely cause. `req.ip` and the header
 * `Forwarded` are not read.
 *
 * Throws a `ConfigurationError` if the options are wrong or `request` is not an object. The content of a request never
 * makes it throw.
 *
 * @example
 * ```ts
 * // Behind a proxy on the same machine, or in the private network of your proxies:
 * const clientIP = clientIpFrom(request, { trustedProxies: ['loopback', '10.1.0.0/24'] });
 * await client.reportBetEvent(bet, { clientIP });
 * ```
 */
export function clientIpFrom(request: IncomingRequest, options: ClientIpFromOptions = {}): string | undefined {
  const { trust, remoteAddress } = readTrustOptions(options);
  if (typeof request !== 'object' || request === null)
    throw new ConfigurationError('clientIpFrom: the first argument must be a request, with its headers.');
  // A getter of the request that throws leaves the address unknown.
  return unlessThrown(() => findClient(request, remoteAddress, trust)?.text);
}
