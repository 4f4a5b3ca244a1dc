import type { IpProvider } from '../provider.js';
import { coordinate, placeName } from '../read-place.js';
import { getJson } from './get-json.js';

/** freeipapi: free up to a limit a minute, no key. It writes `"-"` where it does not know. */
export const freeipapi = (): IpProvider => ({
  name: 'freeipapi',
  async lookup(request) {
    const about = request.ip ? `/${encodeURIComponent(request.ip)}` : '';
    const body = await getJson(`https://free.freeipapi.com/api/json${about}`, request, { address: 'ipAddress' });
    return {
      latitude: coordinate(body.latitude),
      longitude: coordinate(body.longitude),
      city: placeName(body.cityName),
      region: placeName(body.regionName),
      country: placeName(body.countryCode),
    };
  },
});
