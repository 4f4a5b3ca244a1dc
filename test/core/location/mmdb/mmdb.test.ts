import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import * as maxmind from 'maxmind';
import { Reader } from 'mmdb-lib';
import { describe, expect, test } from 'vitest';
import { createClient, type IpProvider, type LocationError } from '../../../../src/entries/index.js';
import { mmdb } from '../../../../src/entries/location-mmdb.js';
import { failureOf } from '../../../support/failure-of.js';
import { newFolder } from '../../../support/new-folder.js';
import { float, type Value, writeMmdb } from '../../../support/write-mmdb.js';
import { placeOf } from '../place-of.js';
import { COUNTRY_ONLY, DB_IP_FLAT, DB_IP_FLOAT, DB_IP_NESTED, ENUGU, IPINFO, MAXMIND } from './mmdb-records.js';

const LAGOS = { ...MAXMIND, city: { names: { en: 'Lagos' } }, location: { latitude: 6.5, longitude: 3.375 } };

/** The path of a file in its own folder. Both are removed when the test ends. */
function temporaryFile(contents: Uint8Array): string {
  const folder = newFolder('mmdb');
  const file = join(folder, 'places.mmdb');
  writeFileSync(file, contents);
  return file;
}

const NETWORKS = { '102.89.0.0/16': LAGOS, '102.89.23.0/24': MAXMIND };
const NETWORKS_6 = { ...NETWORKS, '2c0f:f248::/32': DB_IP_NESTED };

/** The ways to pass a database. */
const WAYS: readonly (readonly [string, (bytes: Buffer) => Promise<IpProvider>])[] = [
  ['an object that mmdb-lib opened', async (bytes) => mmdb({ database: new Reader(bytes) })],
  ['an object that maxmind opened', async (bytes) => mmdb({ database: await maxmind.open(temporaryFile(bytes)) })],
];

const opened = (bytes: Buffer) => mmdb({ database: new Reader(bytes) });
const locating = (provider: IpProvider) => (clientIP: string) =>
  placeOf(createClient({ location: { ip: { providers: [provider] } } }).locate({ clientIP }));
const fetch = () => expect.unreachable('this test uses no network');
const lookUp = (provider: IpProvider, ip: string | undefined) =>
  provider.lookup({ ip, fetch, signal: new AbortController().signal });

/** Why the client found no location. */
async function stepOf(provider: IpProvider, clientIP: string) {
  const error = await failureOf<LocationError>(locating(provider)(clientIP));
  const { durationMs: _, ...step } = error.steps[0] ?? expect.unreachable();
  return step;
}

describe.each(WAYS)('%s', (_way, open) => {
  test.each([24, 28, 32] as const)('is asked for an address in a tree of %i bits', async (recordSize) => {
    const ofIPv4 = locating(await open(writeMmdb(NETWORKS, { ipVersion: 4, recordSize })));
    const ofBoth = locating(await open(writeMmdb(NETWORKS_6, { ipVersion: 6, recordSize })));
    for (const locate of [ofIPv4, ofBoth]) {
      expect(await locate('102.89.23.45')).toEqual({ ...ENUGU, accuracy: 20_000, source: 'client_ip' });
      expect(await locate('102.89.24.45')).toMatchObject({ city: 'Lagos', latitude: 6.5, longitude: 3.375 });
      await expect(locate('8.8.8.8')).rejects.toThrow('the database does not hold the address');
    }
    expect(await ofBoth('2c0f:f248::1')).toEqual({ ...ENUGU, source: 'client_ip' });
    await expect(ofBoth('2a00:1450::1')).rejects.toThrow('the database does not hold the address');
  });

  test('of IPv4 addresses only, never answers for an IPv6 address', async () => {
    // Every address has a record, so that a wrong read would find one.
    const provider = await open(writeMmdb({ '0.0.0.0/1': MAXMIND, '128.0.0.0/1': MAXMIND }, { ipVersion: 4 }));
    await fc.assert(
      fc.asyncProperty(fc.ipV6(), async (ip) => {
        // In any spelling, a mapped address is one of IPv4.
        const isMapped = /^\[::ffff:/.test(new URL(`http://[${ip}]/`).host);
        const found = await lookUp(provider, ip).catch((error: Error) => error.message);
        if (!isMapped) expect(found).toBe('the database holds IPv4 addresses only');
      }),
    );
    expect(await lookUp(provider, '102.89.23.45')).toMatchObject(ENUGU);
  });

  test.each([4, 6] as const)('of version %i treats a mapped address as the IPv4 address', async (ipVersion) => {
    const provider = await open(writeMmdb(NETWORKS, { ipVersion }));
    for (const ip of ['::ffff:102.89.23.45', '::FFFF:6659:172d', '0:0:0:0:0:ffff:102.89.23.45'])
      expect(await lookUp(provider, ip)).toMatchObject(ENUGU);
  });

  test.each<[string, Value]>([
    ["DB-IP's flat records", DB_IP_FLAT],
    ["DB-IP's flat records of 32 bits", DB_IP_FLOAT],
    ["IPinfo's flat records", IPINFO],
  ])('may hold %s', async (_what, record) => {
    expect(await lookUp(await open(writeMmdb({ '102.89.0.0/16': record })), '102.89.23.45')).toMatchObject(ENUGU);
  });
});

describe('a lookup that fails', () => {
  const withLocation = (latitude: Value, longitude: Value) => ({ ...MAXMIND, location: { latitude, longitude } });

  test.each<[string, Value, string]>([
    ['a record of a country', COUNTRY_ONLY, 'no coordinates'],
    ['a record that is a string', 'Enugu', 'no coordinates'],
    ['coordinates that are not numbers', withLocation('north', 'east'), 'no coordinates'],
    ['NaN', withLocation(float(Number.NaN), 7.5), 'no coordinates'],
    ['0, 0, which publishers write for an unknown place', withLocation(0, 0), 'are not valid'],
    ['a latitude out of range', withLocation(90.5, 7.5), 'are not valid'],
    ['a longitude out of range', withLocation(6.5, -180.5), 'are not valid'],
    ['infinity', withLocation(float(Number.POSITIVE_INFINITY), 7.5), 'are not valid'],
  ])('%s is not a location', async (_what, record, why) => {
    const step = await stepOf(opened(writeMmdb({ '102.89.0.0/16': record })), '102.89.23.45');
    expect(step).toEqual({ step: 'mmdb', reason: 'bad-answer', message: expect.stringContaining(why) });
  });

  test('an address with one coordinate at 0 is a location', async () => {
    expect(await lookUp(opened(writeMmdb({ '102.89.0.0/16': withLocation(0, 7.5) })), '102.89.23.45')).toMatchObject({
      latitude: 0,
      longitude: 7.5,
    });
  });

  test("the server's own address is not looked up", async () => {
    await expect(lookUp(opened(writeMmdb(NETWORKS)), undefined)).rejects.toMatchObject({ reason: 'no-address' });
  });

  test.each([
    '',
    'localhost',
    '102.89.23',
    '102.89.23.45:80',
    '102.89.23.045',
    'fe80::1%eth0',
    '102.89.23.45, 10.0.0.1',
  ])('%j is not an address', async (ip) => {
    await expect(lookUp(opened(writeMmdb({ '0.0.0.0/0': MAXMIND })), ip)).rejects.toThrow(
      'the value passed is not an IP address',
    );
  });

  test('shows neither the address nor a coordinate nor a place', async () => {
    const careless = (ip: string) => {
      throw new Error(`${ip} is in Enugu at 6.4474`);
    };
    const providers = [
      mmdb({ database: { get: careless, metadata: { ipVersion: 6 } } }),
      opened(writeMmdb({ '102.89.0.0/16': withLocation(106.4474, 7.5139) })),
      opened(writeMmdb({ '8.0.0.0/8': MAXMIND })),
      opened(writeMmdb({ '102.89.0.0/16': MAXMIND }, { ipVersion: 4 })),
    ];
    const errors = await Promise.all(
      providers.flatMap((provider) =>
        ['102.89.23.45', '2c0f:f248::1'].map((ip) => lookUp(provider, ip).catch((error) => error)),
      ),
    );
    const failures = errors.filter((error) => error instanceof Error);
    expect(failures.length).toBeGreaterThan(5);
    expect(inspect(failures, { showHidden: true, depth: null })).not.toMatch(/102\.89|2c0f|4474|5139|Enugu/);
  });

  test('the next provider is asked', async () => {
    const next: IpProvider = { name: 'next', lookup: async () => ({ latitude: 1, longitude: 2 }) };
    const client = createClient({
      location: { ip: { providers: [opened(writeMmdb({ '8.0.0.0/8': MAXMIND })), next] } },
    });
    expect(await client.locate({ clientIP: '102.89.23.45' })).toMatchObject({ latitude: 1, longitude: 2 });
  });
});

describe('the options', () => {
  const database = { get: () => null, metadata: { ipVersion: 6 } };

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'database: is required'],
    ['a promise of a database', { database: Promise.resolve(database) }, 'must be awaited'],
    ['a database without a version', { database: { get: () => null } }, 'metadata: { ipVersion: 4 or 6 }'],
    ['an unknown option', { database, watch: true }, 'unknown field watch'],
    ['an empty name', { database, name: '' }, 'name: expected a string that is not empty or blank'],
  ])('%s is refused', async (_what, options, why) => {
    expect(await failureOf(() => mmdb(options as never))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(why),
    });
  });

  test('a name is shown in the steps', async () => {
    expect(await stepOf(mmdb({ database, name: 'geolite' }), '102.89.23.45')).toMatchObject({ step: 'geolite' });
  });
});
