import { ConfigurationError, refuseOtherNames } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { apiKeyProblem } from '../../schema/headers.js';
import { type IpProvider, LookupFailure } from '../lookup/provider.js';
import { coordinate, placeName } from '../read-place.js';
import { jsonService } from './free-services.js';

/** The options of the lookup service ipinfo. */
export interface IpinfoOptions {
  /** The operator's token. It is sent in a header, never in the URL. In a page every visitor can read it. */
  token: string;
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
  refuseOtherNames('ipinfo', ['token'], options);
  const { token }: { token?: unknown } = asOwnRecord(options);
  const problem = typeof token === 'string' ? apiKeyProblem(token) : 'is missing: expected a string';
  if (problem) throw new ConfigurationError(`ipinfo({ token }): token ${problem}.`);
  return jsonService({
    name: 'ipinfo',
    // The service's own examples leave the colons of an IPv6 address unescaped.
    url: (path) => `https://api.ipinfo.io/lookup${path.replace(/%3A/g, ':') || '/me'}`,
    headers: { authorization: `Bearer ${token}` },
    members: ['ip', 'city', 'region', 'country'],
    read({ bogon, geo }) {
      if (bogon === true) throw new LookupFailure('not-public', 'the service says that the address is not public');
      const { latitude, longitude, city, region, country_code } = asOwnRecord(geo);
      if (latitude === undefined)
        throw new LookupFailure('bad-answer', 'the service gave no coordinates; the token needs the plan Core or Plus');
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
