import { readBody } from '../../platform/body.js';
import { isBrowser } from '../../platform/runtime.js';
import { unlessThrown } from '../../platform/unless-thrown.js';
import type { Fetch } from '../../platform/web-types.js';
import { type IpLocation, type IpLookupRequest, type IpProvider, LookupFailure } from '../lookup/provider.js';
import { coordinate, metresFromKilometres, placeName } from '../read-place.js';
import { parseAddress } from '../server/address.js';

type ServiceAnswer = Readonly<Record<string, unknown>>;

interface JsonService {
  readonly name: string;
  /** The URL for a path. The path is a slash and the escaped address, or empty for the caller's own address. */
  readonly url: (path: string) => string;
  readonly headers?: Record<string, string>;
  /** The names of the answer's members: the address, and the names of the place. */
  readonly members: readonly [address: string, city: string, region: string, country: string];
  /**
   * Reads the members that only this service has. Throws a `LookupFailure` for an error that the service reports in its
   * answer.
   */
  readonly read?: (body: ServiceAnswer) => Partial<IpLocation>;
}

export const jsonService = ({
  name,
  url,
  headers,
  members: [address, city, region, country],
  read,
}: JsonService): IpProvider => ({
  name,
  async lookup(request) {
    const body = await getJson(url(request.ip ? `/${encodeURIComponent(request.ip)}` : ''), request, address, headers);
    return {
      latitude: coordinate(body.latitude),
      longitude: coordinate(body.longitude),
      city: placeName(body[city]),
      region: placeName(body[region]),
      country: placeName(body[country]),
      ...read?.(body),
    };
  },
});

/**
 * freeipapi: free up to a limit per minute, no key. It writes `"-"` for an unknown value.
 *
 * @example
 * ```ts
 * createClient({ location: { ip: { providers: [freeipapi()] } } });
 * ```
 */
export const freeipapi = (): IpProvider =>
  jsonService({
    name: 'freeipapi',
    url: (path) => `https://free.freeipapi.com/api/json${path}`,
    members: ['ipAddress', 'cityName', 'regionName', 'countryCode'],
  });

/**
 * GeoJS: free, no key. Coordinates come as strings, `"nil"` if unknown; the accuracy in kilometres.
 *
 * @example
 * ```ts
 * createClient({ location: { ip: { providers: [geojs()] } } });
 * ```
 */
export const geojs = (): IpProvider =>
  jsonService({
    name: 'geojs',
    url: (path) => `https://get.geojs.io/v1/ip/geo${path}.json`,
    members: ['ip', 'city', 'region', 'country_code'],
    read: ({ accuracy }) => ({ accuracy: metresFromKilometres(accuracy) }),
  });

/**
 * ipapi.co: free up to a daily limit, no key. It reports its own errors with status 200 and `error: true`.
 *
 * @example
 * ```ts
 * createClient({ location: { ip: { providers: [ipapiCo()] } } });
 * ```
 */
export const ipapiCo = (): IpProvider =>
  jsonService({
    name: 'ipapi.co',
    url: (path) => `https://ipapi.co${path}/json/`,
    members: ['ip', 'city', 'region', 'country_code'],
    read({ error, reason }) {
      if (error !== true) return {};
      throw reason === 'RateLimited'
        ? new LookupFailure('refused', 'rate limited by the lookup service')
        : new LookupFailure('bad-answer', 'the service answered with an error');
    },
  });

/** The default lookup services, in this order (our decision). */
export const freeServices = (): IpProvider[] => [geojs(), ipapiCo(), freeipapi()];

/** An answer that names no address is accepted. */
function isSameAddress(asked: string | undefined, told: unknown): boolean {
  if (asked === undefined || typeof told !== 'string') return true;
  return parseAddress(told)?.text === parseAddress(asked)?.text;
}

/** Some server runtimes reject these options, and have no cookies or cache to protect. */
const PRIVATE = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const;

/** An answer about one address is small. */
const LONGEST_ANSWER = 65_536;

/**
 * No cookies, no referrer, and no redirects: they would send the address to another host. `address` is the member of
 * the answer that contains the requested address.
 */
async function getJson(
  url: string,
  { ip, fetch, signal }: IpLookupRequest,
  address: string,
  headers: Record<string, string> | undefined,
): Promise<ServiceAnswer> {
  let response: Awaited<ReturnType<Fetch>>;
  let text: string | undefined;
  try {
    response = await fetch(url, {
      method: 'GET',
      headers: { accept: 'application/json', ...headers },
      signal,
      redirect: 'manual',
      ...(isBrowser() && PRIVATE),
    });
    text = await readBody(response, signal, LONGEST_ANSWER);
  } catch {
    throw new LookupFailure('unreachable', 'could not connect to the service');
  }
  const { status } = response;
  if (status === 429 || status === 403 || status === 401) {
    const why = `rate limited by the lookup service${status === 429 ? '' : ', or the token is not accepted'} (HTTP ${status})`;
    throw new LookupFailure('refused', why, response.headers.get('retry-after'));
  }
  const answer: unknown = status >= 200 && status < 300 && text && unlessThrown(() => JSON.parse(text));
  if (typeof answer !== 'object' || answer === null)
    throw new LookupFailure('bad-answer', `the service sent an unusable answer (HTTP ${status})`);
  const body = answer as ServiceAnswer;
  if (!isSameAddress(ip, body[address]))
    throw new LookupFailure('bad-answer', 'the service answered for another address');
  return body;
}
