import { ConfigurationError } from '../../errors/errors.js';
import { issue, type ValidationIssue } from '../../schema/issue.js';
import { isAnything, optional, readOptions } from '../../schema/option-rules.js';
import { suggest } from '../../schema/validate.js';
import { type AddressRange, parseRange, rangeOf } from './address.js';

/** Proxy ranges by name. Express calls `'private'` `'uniquelocal'`. */
type ProxyGroup = 'loopback' | 'link-local' | 'private';

/**
 * A platform that passes the player's address in a known header. The header is trusted from any sender: name a platform
 * only if every request reaches your server through it, so that no client can write the header.
 */
export type ProxyPlatform =
  | 'cloudflare'
  | 'fly'
  | 'netlify'
  | 'vercel'
  | 'azure-front-door'
  | 'aws-alb'
  | 'aws-cloudfront'
  | 'azure-app-service'
  | 'azure-application-gateway'
  | 'google-cloud-load-balancer'
  | 'heroku';

/**
 * Which source of the player's address is trusted: addresses, ranges and groups of your proxies; the number of proxies;
 * or the platform.
 */
export type TrustedProxies = ProxyPlatform | number | readonly (ProxyGroup | (string & Record<never, never>))[];

export type Trust =
  /** The nearest address that is in none of the ranges. */
  | { readonly by: 'ranges'; readonly ranges: readonly AddressRange[] }
  /** The entry of `X-Forwarded-For` at this place from the right. */
  | { readonly by: 'count'; readonly count: number; readonly lines?: 'one' | 'one-entry' }
  /** A header that the platform overwrites. */
  | { readonly by: 'header'; readonly name: string };

const GROUPS: Readonly<Record<ProxyGroup, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const LAST_ENTRY: Trust = { by: 'count', count: 1, lines: 'one' };

/**
 * The header of each platform: one that the platform overwrites, else the `X-Forwarded-For` to which it appends.
 * Platforms do not document to which line they append if a visitor sent several lines, so several lines are ignored.
 */
const PLATFORMS: Readonly<Record<ProxyPlatform, Trust>> = {
  cloudflare: { by: 'header', name: 'cf-connecting-ip' },
  fly: { by: 'header', name: 'fly-client-ip' },
  netlify: { by: 'header', name: 'x-nf-client-connection-ip' },
  // Not X-Forwarded-For: Vercel may be configured to let a proxy before it set that header.
  vercel: { by: 'header', name: 'x-vercel-forwarded-for' },
  // Not X-Azure-ClientIP: Front Door takes it from the visitor's own headers.
  'azure-front-door': { by: 'header', name: 'x-azure-socketip' },
  'aws-alb': LAST_ENTRY,
  'aws-cloudfront': LAST_ENTRY,
  'azure-app-service': LAST_ENTRY,
  'azure-application-gateway': LAST_ENTRY,
  // It appends the player's address, then its own.
  'google-cloud-load-balancer': { by: 'count', count: 2, lines: 'one' },
  // Its router appends to the first of several lines, so a visitor's second line would come last.
  heroku: { by: 'count', count: 1, lines: 'one-entry' },
};

/** Real chains of proxies are shorter. A higher number is a mistake or an attack. */
export const MOST_PROXIES = 32;

const NO_PROXY: Trust = { by: 'ranges', ranges: [] };

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const groupNames = Object.keys(GROUPS)
  .map((name) => `'${name}'`)
  .join(', ');

function nearest(word: string, known: readonly string[]): string {
  if (word === 'uniquelocal') return "; Express's 'uniquelocal' is 'private' here";
  const meant = suggest(word.slice(0, 64), known);
  return meant ? `; did you mean '${meant}'?` : '';
}

function readProxy(proxy: unknown, index: number, issues: ValidationIssue[]): readonly AddressRange[] {
  const refuse = (message: string) => {
    issues.push(issue(['trustedProxies', index], typeof proxy === 'string' ? 'invalid' : 'wrong-type', message));
    return [];
  };
  if (typeof proxy !== 'string')
    return refuse(`expected an address, a range such as 10.0.0.0/8, or one of ${groupNames}`);
  const group = own(GROUPS, proxy);
  if (group) return group.map(rangeOf);
  if (own(PLATFORMS, proxy)) return refuse(`a platform is passed alone: trustedProxies: '${proxy}'`);
  const range = parseRange(proxy);
  return 'why' in range ? refuse(range.why + nearest(proxy, Object.keys(GROUPS))) : [range];
}

/** Adds the problems with the value to `issues`. */
export function readTrust(trustedProxies: unknown, issues: ValidationIssue[]): Trust {
  const refuse = (code: 'invalid' | 'wrong-type', message: string) => {
    issues.push(issue(['trustedProxies'], code, message));
    return NO_PROXY;
  };
  if (trustedProxies === undefined) return NO_PROXY;
  if (Array.isArray(trustedProxies))
    return { by: 'ranges', ranges: trustedProxies.flatMap((proxy, index) => readProxy(proxy, index, issues)) };
  if (typeof trustedProxies === 'number') {
    if (!Number.isInteger(trustedProxies) || trustedProxies < 0 || trustedProxies > MOST_PROXIES)
      return refuse('invalid', `expected the number of proxies: a whole number from 0 to ${MOST_PROXIES}`);
    return trustedProxies === 0 ? NO_PROXY : { by: 'count', count: trustedProxies };
  }
  if (typeof trustedProxies !== 'string') {
    const warning = trustedProxies === true ? '; true would trust any header that a player writes' : '';
    return refuse('wrong-type', `expected a list of proxies, the number of proxies, or a platform${warning}`);
  }
  const platform = own(PLATFORMS, trustedProxies);
  if (platform) return platform;
  if (own(GROUPS, trustedProxies)) return refuse('invalid', `proxies are given as a list: ['${trustedProxies}']`);
  const names = Object.keys(PLATFORMS);
  return refuse(
    'invalid',
    `is not a known platform${nearest(trustedProxies, names)}; known are ${names.join(', ')}; proxies are given as a list`,
  );
}

const optionTable = { trustedProxies: optional(isAnything), remoteAddress: optional(isAnything) };

/** Throws a `ConfigurationError` that lists every problem. */
export function readTrustOptions(options: object): { readonly trust: Trust; readonly remoteAddress: unknown } {
  let trust = NO_PROXY;
  const read = readOptions('clientIpFrom', optionTable, options, ({ trustedProxies }) => {
    const issues: ValidationIssue[] = [];
    trust = readTrust(trustedProxies, issues);
    return issues;
  });
  if (read.problem !== undefined)
    throw new ConfigurationError(read.problem, { operation: 'clientIpFrom', issues: read.issues });
  return { trust, remoteAddress: read.complete.remoteAddress };
}
