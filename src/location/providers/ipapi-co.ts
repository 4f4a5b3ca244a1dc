import { type IpProvider, LookupFailure } from '../provider.js';
import { coordinate, placeName } from '../read-place.js';
import { getJson } from './get-json.js';

/** ipapi.co: free up to a daily limit, no key. It reports its own errors with status 200 and `error: true`. */
export const ipapiCo = (): IpProvider => ({
  name: 'ipapi.co',
  async lookup(request) {
    const about = request.ip ? `/${encodeURIComponent(request.ip)}` : '';
    const body = await getJson(`https://ipapi.co${about}/json/`, request, { address: 'ip' });
    if (body.error === true) {
      throw body.reason === 'RateLimited'
        ? new LookupFailure('refused', 'the service refuses more requests for now')
        : new LookupFailure('bad-answer', 'the service answered with an error');
    }
    return {
      latitude: coordinate(body.latitude),
      longitude: coordinate(body.longitude),
      city: placeName(body.city),
      region: placeName(body.region),
      country: placeName(body.country_code),
    };
  },
});
