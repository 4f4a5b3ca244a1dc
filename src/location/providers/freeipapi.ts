import { degrees, getJson, type IpProvider, name } from '../provider.js';

/** freeipapi: free up to a limit a minute, no key. It writes `"-"` where it does not know. */
export const freeipapi = (): IpProvider => ({
  name: 'freeipapi',
  async lookup(request) {
    const about = request.ip ? `/${encodeURIComponent(request.ip)}` : '';
    const body = await getJson(`https://free.freeipapi.com/api/json${about}`, request);
    return {
      latitude: degrees(body.latitude),
      longitude: degrees(body.longitude),
      city: name(body.cityName),
      region: name(body.regionName),
      country: name(body.countryCode),
    };
  },
});
