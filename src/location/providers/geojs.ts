import type { IpProvider } from '../provider.js';
import { coordinate, metresFromKilometres, placeName } from '../read-place.js';
import { getJson } from './get-json.js';

/** GeoJS: free, no key. Coordinates come as strings, `"nil"` where unknown; the accuracy in kilometres. */
export const geojs = (): IpProvider => ({
  name: 'geojs',
  async lookup(request) {
    const about = request.ip ? `/${encodeURIComponent(request.ip)}` : '';
    const body = await getJson(`https://get.geojs.io/v1/ip/geo${about}.json`, request, { address: 'ip' });
    return {
      latitude: coordinate(body.latitude),
      longitude: coordinate(body.longitude),
      city: placeName(body.city),
      region: placeName(body.region),
      country: placeName(body.country_code),
      accuracy: metresFromKilometres(body.accuracy),
    };
  },
});
