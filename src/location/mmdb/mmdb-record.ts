import { asRecord } from '../../platform/as-record.js';
import type { IpLocation } from '../lookup/provider.js';
import { coordinate, metresFromKilometres, placeName } from '../read-place.js';

/** The English name of a city or a region, as MaxMind and DB-IP nest it. */
const englishName = (place: Readonly<Record<string, unknown>>): string | undefined => placeName(asRecord(place.names).en);

/** How many digits a number of 32-bit floating point holds. */
const DIGITS_OF_FLOAT = 7;

/** A coordinate without the digits that only come of reading a 32-bit number as one of 64 bits: 6.4474, not 6.447400093078613. */
function coordinateOf(value: unknown): number {
  const read = coordinate(value);
  return Math.fround(read) === read ? Number(read.toPrecision(DIGITS_OF_FLOAT)) : read;
}

/** The first of the values that is there. */
const firstOf = (...values: readonly unknown[]): unknown => values.find((value) => value !== undefined);

/**
 * What a record of a database in MaxMind's format tells of a place. Read are the nested records of MaxMind and DB-IP
 * (`location.latitude`, `city.names.en` …) and flat ones, as DB-IP's are converted (`latitude`, `city`, `state1` …) and IPinfo writes
 * them (`lat` and `lng` as text, `region` …). Coordinates that are not there are `NaN`.
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
