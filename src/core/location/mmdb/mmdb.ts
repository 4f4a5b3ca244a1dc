import { requireOptions } from '../../errors/errors.js';
import { asRecord } from '../../platform/as-record.js';
import { isWord, must, option, required } from '../../schema/option-rules.js';
import { type IpLocation, type IpProvider, LookupFailure } from '../lookup/provider.js';
import { coordinate, isKnownPlace, metresFromKilometres, placeName } from '../read-place.js';
import { parseAddress } from '../server/address.js';

/** The English name of a city or a region, as MaxMind and DB-IP nest it. */
const englishName = (place: Readonly<Record<string, unknown>>): string | undefined =>
  placeName(asRecord(place.names).en);

const DIGITS_OF_FLOAT = 7;

/** Removes the digits that appear when a 32-bit float is read as 64 bits: 6.4474, not 6.447400093078613. */
function coordinateOf(value: unknown): number {
  const read = coordinate(value);
  return Math.fround(read) === read ? Number(read.toPrecision(DIGITS_OF_FLOAT)) : read;
}

const firstOf = (...values: readonly unknown[]): unknown => values.find((value) => value !== undefined);

/**
 * Reads the nested records of MaxMind and DB-IP (`location.latitude`, `city.names.en` …), the flat ones of converted
 * DB-IP files (`latitude`, `city`, `state1` …), and those of IPinfo (`lat` and `lng` as text, `region` …). Missing
 * coordinates become `NaN`.
 */
export function readMmdbRecord(record: unknown): IpLocation {
  const flat = asRecord(record);
  const location = asRecord(flat.location);
  const [subdivision] = Array.isArray(flat.subdivisions) ? flat.subdivisions : [];
  const region = asRecord(subdivision);
  return {
    latitude: coordinateOf(firstOf(location.latitude, flat.latitude, flat.lat)),
    longitude: coordinateOf(firstOf(location.longitude, flat.longitude, flat.lng)),
    city: englishName(asRecord(flat.city)) ?? placeName(flat.city),
    region: englishName(region) ?? placeName(region.iso_code) ?? placeName(flat.region) ?? placeName(flat.state1),
    country: placeName(asRecord(flat.country).iso_code) ?? placeName(flat.country_code) ?? placeName(flat.country),
    accuracy: metresFromKilometres(firstOf(location.accuracy_radius, flat.accuracy_radius)),
  };
}

/** An open database: the result of `maxmind.open()`, or a `Reader` of `mmdb-lib`. Any object of this shape works. */
export interface MmdbReader {
  /** The record of an address. Null or undefined if there is none. */
  get(ip: string): unknown;
  /** The metadata of the file. */
  readonly metadata: {
    /**
     * 4 for a database that holds IPv4 addresses only. A reader would take the first bits of an IPv6 address for an
     * IPv4 address.
     */
    readonly ipVersion: number;
  };
}

const unknown = (message: string) => new LookupFailure('bad-answer', message);

/** The reader's own errors are not shown: they may contain the address. */
function recordOf(reader: MmdbReader, address: string): unknown {
  try {
    return reader.get(address);
  } catch {
    throw unknown('the database could not be read at this address; the file may be damaged');
  }
}

/** Throws a `LookupFailure` if the location is unknown. No message contains the address or the record. */
function lookUpInMmdb(reader: MmdbReader, ip: string): IpLocation {
  const parsed = parseAddress(ip);
  if (!parsed) throw unknown('the value passed is not an IP address');
  const { family, text } = parsed;
  if (family === 6 && reader.metadata.ipVersion !== 6) throw unknown('the database holds IPv4 addresses only');
  const record = recordOf(reader, text);
  if (record === null || record === undefined) throw unknown('the database does not hold the address');
  const found = readMmdbRecord(record);
  const { latitude, longitude } = found;
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) {
    throw unknown('the record has no coordinates; use a database of cities, not of countries or networks');
  }
  if (!isKnownPlace(found)) throw unknown('the coordinates of the record are not valid');
  return found;
}

/** The options of `mmdb`. */
export interface MmdbOptions {
  /** The result of `await maxmind.open(…)`, or of `new Reader(…)` of `mmdb-lib`. */
  database: MmdbReader;
  /** The provider's name in the steps of a `LocationError`. Default: `'mmdb'`. */
  name?: string | undefined;
}

const isReader = (value: unknown): boolean => {
  const { get, metadata } = asRecord(value);
  const { ipVersion } = asRecord(metadata);
  return typeof get === 'function' && (ipVersion === 4 || ipVersion === 6);
};

const optionTable = {
  database: required<MmdbReader>(
    must('an open reader, { get(ip), metadata: { ipVersion: 4 or 6 } }; maxmind.open() must be awaited', isReader),
  ),
  name: option(isWord, 'mmdb'),
};

/**
 * Looks addresses up in a database in MaxMind's format (GeoLite2 City, GeoIP2 City, DB-IP, IPinfo), so no third party
 * receives a player's address. For servers that pass `clientIP`. You open the database, with `maxmind` or `mmdb-lib`.
 *
 * Coordinates and places come from the record; `accuracy` is its radius, in metres. The next provider is tried for an
 * unknown address, for an IPv6 address in an IPv4 database, and for a record without coordinates.
 *
 * @throws `ConfigurationError` for invalid options.
 *
 * @example
 * ```ts
 * import { open } from 'maxmind';
 *
 * const database = await open('/var/lib/GeoIP/GeoLite2-City.mmdb', { watchForUpdates: true });
 * const client = createClient({ location: { ip: { providers: [mmdb({ database })] } } });
 * ```
 */
export function mmdb(options: MmdbOptions): IpProvider {
  const { database, name } = requireOptions('mmdb', optionTable, options).complete;
  return {
    name,
    async lookup({ ip }) {
      if (ip === undefined)
        throw new LookupFailure('no-address', 'a database cannot find your own address: pass clientIP');
      return lookUpInMmdb(database, ip);
    },
  };
}
