import { type IpLocation, LookupFailure } from '../lookup/provider.js';
import { isNullIsland, isOnGlobe } from '../read-place.js';
import { parseAddress } from '../server/address.js';
import { readMmdbRecord } from './mmdb-record.js';

/** An open database: the result of `maxmind.open()`, or a `Reader` of `mmdb-lib`. Any object of this shape works. */
export interface MmdbReader {
  /** The record of an address. Null or undefined if there is none. */
  get(ip: string): unknown;
  /** The metadata of the file. */
  readonly metadata: {
    /** 4 for a database that holds IPv4 addresses only. A reader would take the first bits of an IPv6 address for an IPv4 address. */
    readonly ipVersion: number;
  };
}

const unknown = (message: string) => new LookupFailure('bad-answer', message);

/** Reads the record of an address. The reader's own errors are not shown: they may contain the address. */
function recordOf(reader: MmdbReader, address: string): unknown {
  try {
    return reader.get(address);
  } catch {
    throw unknown('the database could not be read at this address; the file may be damaged');
  }
}

/** Looks an address up. Throws a `LookupFailure` if its location is unknown. No message contains the address or the record. */
export function lookUpInMmdb(reader: MmdbReader, ip: string): IpLocation {
  const parsed = parseAddress(ip);
  if (!parsed) throw unknown('the value passed is not an IP address');
  const { groups, text } = parsed;
  if (groups.length === 8 && reader.metadata.ipVersion !== 6) throw unknown('the database holds IPv4 addresses only');
  const record = recordOf(reader, text);
  if (record === null || record === undefined) throw unknown('the database does not hold the address');
  const found = readMmdbRecord(record);
  const { latitude, longitude } = found;
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) {
    throw unknown('the record has no coordinates; use a database of cities, not of countries or networks');
  }
  if (!isOnGlobe(latitude, longitude) || isNullIsland(latitude, longitude)) {
    throw unknown('the coordinates of the record are not valid');
  }
  return found;
}
