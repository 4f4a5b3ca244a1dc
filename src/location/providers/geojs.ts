import { degrees, getJson, type IpProvider, kilometres, name } from '../provider.js';

/** GeoJS: free, no key. Coordinates come as strings, `"nil"` where unknown; the accuracy in kilometres. */
export const geojs = (): IpProvider => ({
  name: 'geojs',
  async lookup(request) {
    const about = request.ip ? `/${encodeURIComponent(request.ip)}` : '';
    const body = await getJson(`https://get.geojs.io/v1/ip/geo${about}.json`, request);
    return {
      latitude: degrees(body.latitude),
      longitude: degrees(body.longitude),
      city: name(body.city),
      region: name(body.region),
      country: name(body.country_code),
      accuracy: kilometres(body.accuracy),
    };
  },
});
