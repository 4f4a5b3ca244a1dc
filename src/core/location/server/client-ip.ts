import type { IpLookup } from '../lookup/ip-lookup.js';
import type { LocationSource } from '../source.js';
import { type AddressRange, findRange, parseAddress, rangeOf, untranslated } from './address.js';

/** Address ranges that are not public (IANA special-purpose registries), by their usual meaning here. */
const NOT_PUBLIC = [
  ['a "this network" address', '0.0.0.0/8'],
  ['a private address', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '64:ff9b:1::/48', 'fc00::/7'],
  ["an address of a provider's own network (CGNAT)", '100.64.0.0/10'],
  ['a loopback address', '127.0.0.0/8', '::1/128'],
  ['a link-local address', '169.254.0.0/16', 'fe80::/10'],
  ['a reserved address', '192.0.0.0/24', '192.88.99.0/24', '240.0.0.0/4'],
  ['a documentation address', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  ['a benchmarking address', '198.18.0.0/15'],
  ['a multicast address', '224.0.0.0/4', 'ff00::/8'],
  ['the unspecified address', '::/128'],
  ['a discard address', '100::/64'],
  ['an address of a tunnel (Teredo)', '2001::/32'],
  ['an address of a protocol', '2001::/23'],
  ['an address of a tunnel (6to4)', '2002::/16'],
  ['a site-local address', 'fec0::/10'],
] as const;

let notPublic: readonly (AddressRange & { readonly reason: string })[] | undefined;

/** Read at the first use, since the `URL` of React Native, which has no use for them, cannot read IPv6 addresses. */
function notPublicRanges() {
  notPublic ??= NOT_PUBLIC.flatMap(([kind, ...ranges]) =>
    ranges.map((range) => ({ ...rangeOf(range), reason: `${kind} (${range})` })),
  );
  return notPublic;
}

/** All public IPv6 addresses start with the bits of `2000::/3`. */
const PUBLIC_IPV6 = [{ family: 6, prefix: '001' }] as const;

interface ClientIp {
  /** The spelling that lookup services take. An IPv4 address that is mapped or translated into IPv6 is extracted. */
  readonly address: string;
  /** Why it cannot be located. Undefined for a public address. It names the range and not the address. */
  readonly notPublic: string | undefined;
}

/**
 * Reads one address, as a server gets it. Undefined for a list, a port, a zone, a name, or an octal or shortened form.
 */
export function parseClientIp(text: string): ClientIp | undefined {
  const parsed = parseAddress(text);
  if (!parsed) return undefined;
  const address = untranslated(parsed);
  const found = findRange(address, notPublicRanges());
  if (found) return { address: address.text, notPublic: found.reason };
  const reserved = address.family === 6 && !findRange(address, PUBLIC_IPV6);
  return { address: address.text, notPublic: reserved ? 'a reserved address (outside 2000::/3)' : undefined };
}

/** A value that is not a string is reported elsewhere. */
export const clientIpProblem = (clientIP: unknown): string | undefined =>
  typeof clientIP !== 'string' || parseClientIp(clientIP)
    ? undefined
    : 'expected one IPv4 or IPv6 address, without a port, a zone or a list';

/** The reason why there is none does not show the address. */
function readClientIp(clientIP: string | undefined) {
  if (clientIP === undefined)
    return {
      reason: 'no-address',
      message: 'clientIP is missing, or undefined',
      advice:
        "on a server, pass the player's address as clientIP (if clientIpFrom gives undefined, check its trustedProxies), or pass location",
    } as const;
  const client = parseClientIp(clientIP);
  if (client && client.notPublic === undefined) return client;
  return {
    reason: 'not-public',
    message: client ? `clientIP is ${client.notPublic}` : 'clientIP is not an address',
    advice:
      "pass the player's public address: does your server read the proxy's X-Forwarded-For? In development, pass location: fixedLocation(…) to createClient",
  } as const;
}

export function hiddenByMock(clientIP: string | undefined): string | undefined {
  const client = readClientIp(clientIP);
  return 'address' in client
    ? undefined
    : `${client.message}: without the mock gateway this report would fail with a LocationError. Behind a proxy, check trustedProxies; it is said once.`;
}

/**
 * On a server only the player's address is useful: the server's own would locate the data centre.
 */
export const clientAddress = (lookUp: IpLookup): LocationSource => ({
  async find({ clientIP, deadline, signal }) {
    const client = readClientIp(clientIP);
    if ('address' in client) return lookUp({ ip: client.address, deadline, signal });
    const { advice, ...problem } = client;
    return { location: undefined, steps: [{ step: 'client-ip', ...problem, durationMs: 0 }], advice };
  },
});
