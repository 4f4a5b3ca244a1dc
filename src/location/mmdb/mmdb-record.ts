import { asRecord } from '../../platform/as-record.js';
import type { IpLocation } from '../lookup/provider.js';
import { coordinate, metresFromKilometres, placeName } from '../read-place.js';

/** The English name of a city or a region, as MaxMind and DB-IP nest it. */
const englishName = (place: Readonly<Record<string, unknown>>): string | undefined => placeName(asRecord(place.names).en);

/** The number of significant digits of a 32-bit float. */
const DIGITS_OF_FLOAT = 7;

/** Removes the digits that appear when a 32-bit float is read as 64 bits: 6.4474, not 6.447400093078613. */
function coordinateOf(value: unknown): number {
  const read = coordinate(value);
  return Math.fround(read) === read ? Number(read.toPrecision(DIGITS_OF_FLOAT)) : read;
}

/** The first value that is present. */
const firstOf = (...values: readonly unknown[]): unknown => values.find((value) => value !== undefined);

/**
 * Reads the place from a record in MaxMind's format. It reads the nested records of MaxMind and DB-IP
 * (`location.latitude`, `city.names.en` …), the flat ones of converted DB-IP files (`latitude`, `city`, `state1` …),
 * and those of IPinfo (`lat` and `lng` as text, `region` …). Missing coordinates become `NaN`.
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
