import { ConfigurationError } from '../../errors.js';
import { apiKeyProblem } from '../../schema/api-key.js';
import { type IpProvider, LookupFailure } from '../provider.js';
import { coordinate, placeName } from '../read-place.js';
import { getJson } from './get-json.js';

export interface IpinfoOptions {
  /** The operator's token; sent as a header, never in the address. In a page every visitor can read it. */
  token: string;
}

/**
 * ipinfo: with a token, without which a `ConfigurationError` is thrown. Coordinates come as one string; `bogon: true` marks an address
 * that is not public.
 *
 * @example
 * ```ts
 * createClient({ location: { ip: { providers: [ipinfo({ token: 'your-token' }), geojs()] } } });
 * ```
 */
export function ipinfo(options: IpinfoOptions): IpProvider {
  const token: unknown = (options as Partial<IpinfoOptions> | undefined)?.token;
  const problem = typeof token === 'string' ? apiKeyProblem(token) : 'is missing: expected a string';
  if (problem) throw new ConfigurationError(`ipinfo({ token }): token ${problem}.`);
  return {
    name: 'ipinfo',
    async lookup(request) {
      const about = request.ip ? `/${encodeURIComponent(request.ip)}` : '';
      const body = await getJson(`https://ipinfo.io${about}/json`, request, { address: 'ip', headers: { authorization: `Bearer ${token}` } });
      if (body.bogon === true) throw new LookupFailure('not-public', 'the service says that the address is not a public one');
      const [latitude, longitude] = String(body.loc).split(',');
      return {
        latitude: coordinate(latitude),
        longitude: coordinate(longitude),
        city: placeName(body.city),
        region: placeName(body.region),
        country: placeName(body.country),
      };
    },
  };
}
