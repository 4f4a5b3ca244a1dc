import { type IpLocation, LookupFailure } from '../lookup/provider.js';
import { isNullIsland, isOnGlobe } from '../read-place.js';
import { parseAddress } from '../server/address.js';
import { readMmdbRecord } from './mmdb-record.js';

/**
 * An open database: what `maxmind.open()` gives, and a `Reader` of `mmdb-lib`. Any object of this shape will do.
 */
export interface MmdbReader {
  /** The record of an address; null or undefined where there is none. */
  get(ip: string): unknown;
  /** What the file says of itself. */
  readonly metadata: {
    /** 4 for a database that holds IPv4 addresses only: a reader would take the beginning of an IPv6 address for one. */
    readonly ipVersion: number;
  };
}

const unknown = (message: string) => new LookupFailure('bad-answer', message);

/** What the reader has of an address. Its own errors are not shown: they may name the address. */
function recordOf(reader: MmdbReader, address: string): unknown {
  try {
    return reader.get(address);
  } catch {
    throw unknown('the database cannot be read where the address should be: the file may be damaged');
  }
}

/**
 * Looks an address up. Throws a `LookupFailure` wherever it is unknown where the address is; no message holds the address
 * or what was found.
 */
export function lookUpInMmdb(reader: MmdbReader, ip: string): IpLocation {
  const parsed = parseAddress(ip);
  if (!parsed) throw unknown('what was passed is not an address');
  const { groups, text } = parsed;
  if (groups.length === 8 && reader.metadata.ipVersion !== 6) throw unknown('the database holds IPv4 addresses only');
  const record = recordOf(reader, text);
  if (record === null || record === undefined) throw unknown('the database does not hold the address');
  const found = readMmdbRecord(record);
  const { latitude, longitude } = found;
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) {
    throw unknown('the record has no coordinates: is the database one of cities, not of countries or networks?');
  }
  if (!isOnGlobe(latitude, longitude) || isNullIsland(latitude, longitude)) {
    throw unknown('the coordinates of the record cannot be right');
  }
  return found;
}
