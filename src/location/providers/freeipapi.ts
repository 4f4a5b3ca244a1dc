import type { IpProvider } from '../lookup/provider.js';
import { jsonService } from './json-service.js';

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
