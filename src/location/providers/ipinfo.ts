import { type IpProvider, LookupFailure } from '../provider.js';
import { coordinate, getJson, placeName } from './answer.js';

export interface IpinfoOptions {
  /** The operator's token; sent as a header, never in the address. In a page every visitor can read it. */
  token: string;
}

/** ipinfo: with a token. Coordinates come as one string; `bogon: true` marks an address that is not public. */
export const ipinfo = ({ token }: IpinfoOptions): IpProvider => ({
  name: 'ipinfo',
  async lookup(request) {
    const about = request.ip ? `/${encodeURIComponent(request.ip)}` : '';
    const body = await getJson(`https://ipinfo.io${about}/json`, request, { authorization: `Bearer ${token}` });
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
});
