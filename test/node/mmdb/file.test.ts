import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Reader } from 'mmdb-lib';
import { describe, expect, test, vi } from 'vitest';
import { type MmdbFileOptions, mmdb } from '../../../src/entries/location-mmdb.js';
import { MAXMIND } from '../../location/mmdb/mmdb-records.js';
import { failureOf } from '../../support/failure-of.js';
import { writeMmdb } from '../../support/write-mmdb.js';
import { databaseOf, LAGOS, temporaryFile } from './database.js';

const ENUGU = databaseOf(MAXMIND);
const MOVED = databaseOf({ ...MAXMIND, city: { names: { de: 'Abuja (de)', en: 'Abuja' } } });
/** With its metadata, but without its tree. */
const BEHEADED = ENUGU.subarray(40);

/** A provider over a file, on a clock that the test moves, and the places that it finds. */
function following(file: string, options: Partial<MmdbFileOptions> = {}) {
  const clock = { ms: 1_795_161_600_000, now: () => clock.ms };
  const warnings: string[] = [];
  /** How many times the bytes of a file were opened. */
  const opened = vi.fn();
  class Counting extends Reader<never> {
    constructor(...given: ConstructorParameters<typeof Reader>) {
      opened();
      super(...given);
    }
  }
  const provider = mmdb({ file, Reader: Counting, clock, logger: { warn: (message) => void warnings.push(message) }, ...options });
  const city = async () => (await provider.lookup({ ip: '102.89.23.45', fetch: () => expect.unreachable(), signal: new AbortController().signal }))?.city;
  const pass = (milliseconds = 10_000) => {
    clock.ms += milliseconds;
  };
  /** Repeats the lookup, an interval later each time, until a condition holds. */
  const until = (holds: () => unknown) =>
    vi.waitFor(
      async () => {
        pass();
        await city().catch(() => undefined);
        expect(await holds()).toBe(true);
      },
      { timeout: 20_000 },
    );
  const untilCity = (name: string) => until(async () => (await city()) === name);
  return { provider, city, pass, until, untilCity, warnings, opened };
}

/** Every step that a lookup may have started has had its time. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

describe('a file that is replaced', () => {
  test.each<[string, (file: string) => void]>([
    [
      'by another file, which takes its name',
      (file) => {
        writeFileSync(`${file}.new`, MOVED);
        renameSync(`${file}.new`, file);
      },
    ],
    ['in place, by one of the same size', (file) => writeFileSync(file, MOVED)],
    ['in place, by one of another size', (file) => writeFileSync(file, writeMmdb({ '102.89.0.0/16': { ...MAXMIND, city: 'Abuja' }, '8.0.0.0/8': LAGOS }))],
    [
      'after it was removed',
      (file) => {
        rmSync(file);
        writeFileSync(file, MOVED);
      },
    ],
  ])('%s is read again', async (_how, replace) => {
    const file = temporaryFile(ENUGU);
    const { city, pass, untilCity, warnings } = following(file);
    expect(await city()).toBe('Enugu');
    replace(file);
    pass();
    // The lookup that finds the new version does not wait for it.
    expect(await city()).toBe('Enugu');
    await untilCity('Abuja');
    expect(warnings).toEqual([]);
  });

  test('is checked once per interval, and not read again if it is the same', async () => {
    const file = temporaryFile(ENUGU);
    const { city, pass, untilCity, opened } = following(file, { checkEveryMs: 500 });
    await city();
    for (const _ of [1, 2, 3]) {
      pass(500);
      await city();
      await settle();
    }
    expect(opened).toHaveBeenCalledTimes(1);
    writeFileSync(file, MOVED);
    pass(499);
    await city();
    await settle();
    expect(opened).toHaveBeenCalledTimes(1);
    await untilCity('Abuja');
    expect(opened).toHaveBeenCalledTimes(2);
  });

  test('is found though the clock was set back', async () => {
    const file = temporaryFile(ENUGU);
    const { city, pass, untilCity } = following(file);
    await city();
    writeFileSync(file, MOVED);
    pass(-86_400_000);
    await city();
    await untilCity('Abuja');
  });

  test.each<[string, (file: string) => void, string]>([
    ['a truncated one', (file) => truncateSync(file, 100), 'or it is incomplete'],
    ['one without its beginning', (file) => writeFileSync(file, BEHEADED), 'damaged'],
    ['an empty one', (file) => truncateSync(file), 'or it is incomplete'],
    ['a compressed one', (file) => writeFileSync(file, gzipSync(ENUGU)), 'unpack it'],
    ['a page', (file) => writeFileSync(file, '<html>please log in</html>'), "not a database in MaxMind's format"],
    ['none', (file) => rmSync(file), 'ENOENT'],
  ])('by %s stays in use unchanged, with one warning', async (_what, replace, why) => {
    const file = temporaryFile(ENUGU);
    const { city, until, untilCity, warnings } = following(file);
    await city();
    replace(file);
    await until(() => warnings.length > 0);
    for (const _ of [1, 2, 3]) {
      await until(() => true);
      await settle();
    }
    expect(await city()).toBe('Enugu');
    expect(warnings).toEqual([expect.stringContaining(why)]);
    expect(warnings[0]).toContain(`${file} cannot be used`);
    expect(warnings[0]).toContain('The version that was read before stays in use.');
    writeFileSync(file, MOVED);
    await untilCity('Abuja');
    expect(warnings).toHaveLength(1);
  });

  test('by a damaged one is read twice at most, until it changes again', async () => {
    const file = temporaryFile(ENUGU);
    const { city, until, untilCity, warnings, opened } = following(file);
    await city();
    writeFileSync(file, BEHEADED);
    await until(() => warnings.length > 0);
    for (const _ of [1, 2, 3]) {
      await until(() => true);
      await settle();
    }
    expect(opened).toHaveBeenCalledTimes(3);
    writeFileSync(file, MOVED);
    await untilCity('Abuja');
  });

  test('by one that is still being written causes no warning if it is complete at the next check', async () => {
    const file = temporaryFile(ENUGU);
    const { city, pass, untilCity, warnings, opened } = following(file);
    await city();
    writeFileSync(file, BEHEADED);
    pass();
    await city();
    await expect.poll(() => opened.mock.calls.length).toBe(2);
    await settle();
    writeFileSync(file, MOVED);
    await untilCity('Abuja');
    expect(warnings).toEqual([]);
  });

  test('does not need its logger', async () => {
    const file = temporaryFile(ENUGU);
    const told = vi.fn(() => {
      throw new Error('the logger is down');
    });
    const { city, until } = following(file, { logger: { warn: told } });
    await city();
    rmSync(file);
    await until(() => told.mock.calls.length > 0);
    expect(await city()).toBe('Enugu');
  });
});

describe('a file that cannot be used from the start', () => {
  const made = (make: (file: string) => void) => () => {
    const file = temporaryFile();
    make(file);
    return file;
  };

  test.each<[string, () => string, string]>([
    ['no file', () => temporaryFile(), 'there is no such file (ENOENT)'],
    ['a folder', made(mkdirSync), 'it is not a file'],
    ['a pipe', made((file) => execFileSync('mkfifo', [file])), 'it is not a file'],
    ['an empty file', made((file) => writeFileSync(file, '')), 'or it is incomplete'],
    ['half a database', made((file) => writeFileSync(file, ENUGU.subarray(0, 100))), 'or it is incomplete'],
    ['a database without its beginning', made((file) => writeFileSync(file, BEHEADED)), 'it is damaged or incomplete'],
    ['a compressed database', made((file) => writeFileSync(file, gzipSync(ENUGU))), 'it is compressed; unpack it first'],
    ['a large database', made((file) => writeFileSync(file, Buffer.alloc(3_000))), 'it has 3000 bytes, and maxBytes is 2000'],
  ])('%s: ready() rejects, lookups fail, and there is one warning', async (_what, place, why) => {
    const file = place();
    const { provider, city, warnings } = following(file, { maxBytes: 2_000 });
    const error = await failureOf(provider.ready());
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining(why) });
    expect(error.message).toContain(file);
    const failure = await city().catch((thrown) => thrown);
    expect(failure).toMatchObject({ reason: 'not-available', message: expect.stringContaining(why) });
    // A relay passes it on to the page.
    expect(failure.message).not.toContain(file);
    await failureOf(provider.ready());
    expect(warnings).toEqual([expect.stringContaining('Lookups skip it until it can be used.')]);
  });

  test('may have 512 MiB, and no more', async () => {
    const file = temporaryFile(ENUGU);
    // Sparse: it takes no space on the disk.
    truncateSync(file, 536_870_913);
    const { message } = await failureOf(following(file).provider.ready());
    expect(message).toContain('it has 536870913 bytes, and maxBytes is 536870912');
  });

  test('is tried again an interval later, by lookups, and at once by ready()', async () => {
    const file = temporaryFile();
    const { city, pass } = following(file);
    await expect(city()).rejects.toThrow('ENOENT');
    writeFileSync(file, ENUGU);
    pass(9_999);
    await expect(city()).rejects.toThrow('ENOENT');
    pass(1);
    expect(await city()).toBe('Enugu');

    rmSync(file);
    const other = following(file);
    await failureOf(other.provider.ready());
    writeFileSync(file, ENUGU);
    await expect(other.provider.ready()).resolves.toBeUndefined();
  });
});

test('lookups at the same time open the file once', async () => {
  const { provider, city, opened } = following(temporaryFile(ENUGU));
  const found = await Promise.all([provider.ready(), provider.ready(), ...Array.from({ length: 20 }, city)]);
  expect(found.slice(2)).toEqual(Array(20).fill('Enugu'));
  expect(opened).toHaveBeenCalledTimes(1);
});

test('a database with many more records than the cache holds is read correctly', { tags: 'slow' }, async () => {
  const networks = Array.from({ length: 20_000 }, (_, index) => [`10.${index >> 8}.${index & 255}.0/24`, { ...LAGOS, city: `City ${index}` }]);
  const { provider } = following(temporaryFile(writeMmdb(Object.fromEntries(networks))));
  for (const index of [0, 19_999, 0, 1, ...networks.keys(), 5, 10_000, 19_999]) {
    const ip = `10.${index >> 8}.${index & 255}.7`;
    const found = await provider.lookup({ ip, fetch: () => expect.unreachable(), signal: new AbortController().signal });
    if (found?.city !== `City ${index}`) expect.unreachable(`${index}`);
  }
});
