import type { IpProvider } from '../lookup/provider.js';
import { metresFromKilometres } from '../read-place.js';
import { jsonService } from './json-service.js';

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
