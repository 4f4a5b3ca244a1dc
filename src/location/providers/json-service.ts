import type { IpLocation, IpProvider } from '../lookup/provider.js';
import { coordinate, placeName } from '../read-place.js';
import { getJson } from './get-json.js';

type Body = Readonly<Record<string, unknown>>;

/** A service that answers with one flat object. */
interface JsonService {
  readonly name: string;
  /** The URL for a path. The path is a slash and the escaped address, or empty for the caller's own address. */
  readonly url: (path: string) => string;
  readonly headers?: Record<string, string>;
  /** The names of the answer's members: the address, and the names of the place. */
  readonly members: readonly [address: string, city: string, region: string, country: string];
  /** Reads the members that only this service has. Throws a `LookupFailure` for an error that the service reports in its answer. */
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
