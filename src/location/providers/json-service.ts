import type { IpLocation, IpProvider } from '../lookup/provider.js';
import { coordinate, placeName } from '../read-place.js';
import { getJson } from './get-json.js';

type Body = Readonly<Record<string, unknown>>;

/** A service that answers with one flat object. */
interface JsonService {
  readonly name: string;
  /** Its address for a path: an escaped address with a slash before it, or nothing for the caller's own. */
  readonly url: (path: string) => string;
  readonly headers?: Record<string, string>;
  /** The members of the answer: the address that it is about, and the names of the place. */
  readonly members: readonly [address: string, city: string, region: string, country: string];
  /** What this service tells in a way of its own. Throws a `LookupFailure` for an error that it reports as an answer. */
  readonly read?: (body: Body) => Partial<IpLocation>;
}

export const jsonService = ({ name, url, headers, members: [address, city, region, country], read }: JsonService): IpProvider => ({
  name,
  async lookup(request) {
    const body = await getJson(url(request.ip ? `/${encodeURIComponent(request.ip)}` : ''), request, { address, headers });
    return {
      latitude: coordinate(body.latitude),
      longitude: coordinate(body.longitude),
      city: placeName(body[city]),
      region: placeName(body[region]),
      country: placeName(body[country]),
      ...read?.(body),
    };
  },
});
