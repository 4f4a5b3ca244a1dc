import { ConfigurationError } from '../../errors/errors.js';
import { apiKeyProblem } from '../../schema/api-key.js';
import { type IpProvider, LookupFailure } from '../lookup/provider.js';
import { coordinate } from '../read-place.js';
import { jsonService } from './json-service.js';

/** What the lookup service ipinfo needs. */
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
  return jsonService({
    name: 'ipinfo',
    url: (path) => `https://ipinfo.io${path}/json`,
    headers: { authorization: `Bearer ${token}` },
    members: ['ip', 'city', 'region', 'country'],
    read({ bogon, loc }) {
      if (bogon === true) throw new LookupFailure('not-public', 'the service says that the address is not a public one');
      const [latitude, longitude] = String(loc).split(',');
      return { latitude: coordinate(latitude), longitude: coordinate(longitude) };
    },
  });
}
