import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMmdbRecord } from '../../../../src/core/location/mmdb/mmdb.js';
import { COUNTRY_ONLY, DB_IP_FLAT, DB_IP_NESTED, ENUGU, IPINFO, IPINFO_NEW, MAXMIND } from './mmdb-records.js';

test.each([
  ["MaxMind's nested records", MAXMIND],
  ["DB-IP's nested records", DB_IP_NESTED],
  ["DB-IP's flat records", DB_IP_FLAT],
  ["DB-IP's flat records with coordinates as text", { ...DB_IP_FLAT, latitude: '6.4474', longitude: '7.5139' }],
  ["IPinfo's flat records", IPINFO],
  ["IPinfo's newer flat records", IPINFO_NEW],
])('%s are read as a place', (_what, record) => {
  expect(readMmdbRecord(record)).toMatchObject(ENUGU);
});

describe('the accuracy', () => {
  test('is the radius in metres', () => {
    expect(readMmdbRecord(MAXMIND).accuracy).toBe(20_000);
    expect(readMmdbRecord({ ...DB_IP_FLAT, accuracy_radius: '5' }).accuracy).toBe(5_000);
  });

  test.each([0, -1, null, 'far'])('is unknown if the radius is %j', (accuracy_radius) => {
    expect(readMmdbRecord({ ...MAXMIND, location: { ...MAXMIND.location, accuracy_radius } }).accuracy).toBeUndefined();
  });
});

test('a 32-bit coordinate has no more digits than it was written with', () => {
  expect(readMmdbRecord({ latitude: Math.fround(6.4474), longitude: Math.fround(-118.2437) })).toMatchObject({
    latitude: 6.4474,
    longitude: -118.2437,
  });
});

test('a coordinate is changed by less than a metre, and one of 64 bits not at all', () => {
  fc.assert(
    fc.property(fc.double({ min: -180, max: 180, noNaN: true }), (given) => {
      const { longitude } = readMmdbRecord({ latitude: 1, longitude: given });
      expect(Math.abs(longitude - given)).toBeLessThan(0.00001);
      if (Math.fround(given) !== given) expect(longitude).toBe(given);
    }),
  );
});

test('a region without an English name is named by its code', () => {
  expect(readMmdbRecord({ ...MAXMIND, subdivisions: [{ iso_code: 'EN', names: { fr: 'Enougou' } }] }).region).toBe(
    'EN',
  );
});

test('the country of a registration is not the country of the address', () => {
  const { country: _, ...record } = MAXMIND;
  expect(readMmdbRecord(record).country).toBeUndefined();
});

test.each([
  ['a record of a country', COUNTRY_ONLY],
  ['an empty record', {}],
  ['a text', 'Enugu'],
  ['null', null],
  ['coordinates that are not numbers', { ...MAXMIND, location: { latitude: 'north', longitude: true } }],
])('%s has no coordinates', (_what, record) => {
  expect(readMmdbRecord(record)).toMatchObject({ latitude: Number.NaN, longitude: Number.NaN });
});

test('every record is read without an error', () => {
  fc.assert(fc.property(fc.anything(), (record) => typeof readMmdbRecord(record).latitude === 'number'));
});
