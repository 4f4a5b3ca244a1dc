import { ConfigurationError } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { apiKeyProblem } from '../../schema/api-key.js';
import { namesProblem } from '../../schema/option-rules.js';
import { type IpProvider, LookupFailure } from '../lookup/provider.js';
import { coordinate, placeName } from '../read-place.js';
import { jsonService } from './json-service.js';

/** The options of the lookup service ipinfo. */
export interface IpinfoOptions {
  /** The operator's token. It is sent in a header, never in the URL. In a page every visitor can read it. */
  token: string;
  /**
   * The plan of the token. `'core'` is for IPinfo Core and Plus. `'legacy'` is for an older plan, which uses
   * `ipinfo.io/<ip>/json`. The free plan IPinfo Lite returns countries only and cannot be used. Default: `'core'`.
   */
  plan?: 'core' | 'legacy' | undefined;
}

const PLANS = ['core', 'legacy'];

function refusePrivate(bogon: unknown): void {
  if (bogon === true) throw new LookupFailure('not-public', 'the service says that the address is not public');
}

/**
 * ipinfo: needs a token, else it throws a `ConfigurationError`. The token needs the plan Core or Plus: the free plan
 * Lite gives no coordinates.
 *
 * @example
 * ```ts
 * createClient({ location: { ip: { providers: [ipinfo({ token: 'your-token' }), geojs()] } } });
 * ```
 */
export function ipinfo(options: IpinfoOptions): IpProvider {
  const wrong = namesProblem('ipinfo', ['token', 'plan'], options);
  if (wrong !== undefined) throw new ConfigurationError(wrong);
  const { token, plan = 'core' }: { token?: unknown; plan?: unknown } = asOwnRecord(options);
  const problem = typeof token === 'string' ? apiKeyProblem(token) : 'is missing: expected a string';
  if (problem) throw new ConfigurationError(`ipinfo({ token }): token ${problem}.`);
  if (!PLANS.includes(String(plan))) throw new ConfigurationError("ipinfo({ plan }): expected 'core' or 'legacy'.");
  const headers = { authorization: `Bearer ${token}` };
  const members = ['ip', 'city', 'region', 'country'] as const;
  if (plan === 'legacy') {
    return jsonService({
      name: 'ipinfo',
      url: (path) => `https://ipinfo.io${path}/json`,
      headers,
      members,
      read({ bogon, loc }) {
        refusePrivate(bogon);
        const [latitude, longitude] = String(loc).split(',');
        return { latitude: coordinate(latitude), longitude: coordinate(longitude) };
      },
    });
  }
  return jsonService({
    name: 'ipinfo',
    // The service's own examples leave the colons of an IPv6 address unescaped.
    url: (path) => `https://api.ipinfo.io/lookup${path.replaceAll('%3A', ':') || '/me'}`,
    headers,
    members,
    read({ bogon, geo }) {
      refusePrivate(bogon);
      const { latitude, longitude, city, region, country_code } = asOwnRecord(geo);
      if (latitude === undefined) throw new LookupFailure('bad-answer', 'the service gave no coordinates; the token needs the plan Core or Plus');
      return {
        latitude: coordinate(latitude),
        longitude: coordinate(longitude),
        city: placeName(city),
        region: placeName(region),
        country: placeName(country_code),
      };
    },
  });
}
