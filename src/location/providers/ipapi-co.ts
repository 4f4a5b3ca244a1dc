import { type IpProvider, LookupFailure } from '../lookup/provider.js';
import { jsonService } from './json-service.js';

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
