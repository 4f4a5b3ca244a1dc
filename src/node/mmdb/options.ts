import { ConfigurationError } from '../../errors/errors.js';
import type { MmdbReader } from '../../location/mmdb/mmdb-lookup.js';
import { asRecord } from '../../platform/as-record.js';
import type { Logger } from '../../platform/logger.js';
import { type Clock, systemClock } from '../../platform/time.js';
import { issue } from '../../schema/issue.js';
import { having, isObject, isWord, must, option, optional, readOptions, wholeNumber, within } from '../../schema/option-rules.js';
import type { MmdbReaderClass } from './reader.js';

/** The options of `mmdb` for a database file. */
export interface MmdbFileOptions {
  /** Its path, for example that of `GeoLite2-City.mmdb`. The whole file is read into memory, and again when it was replaced. */
  file: string;
  /** The class `Reader` of `mmdb-lib` or `maxmind`. Default: that of the installed package, loaded with the file. Pass it if the server is bundled. */
  Reader?: MmdbReaderClass | undefined;
  /** How often lookups check for a new version of the file, in milliseconds; 0 for every lookup. Default: 10,000. */
  checkEveryMs?: number | undefined;
  /** The largest file that is read, in bytes. Default: 536,870,912 (512 MiB). */
  maxBytes?: number | undefined;
  /** The provider's name in the steps of a `LocationError`. Default: `'mmdb'`. */
  name?: string | undefined;
  /** Receives a warning about a file that cannot be used, once for each version. Default: the console. */
  logger?: Logger | undefined;
  /** Default: the system's clock. */
  clock?: Pick<Clock, 'now'> | undefined;
}

/** The options of `mmdb` for an open database. */
export interface MmdbDatabaseOptions {
  /** The result of `await maxmind.open(…)` or `new Reader(…)`. You reload it yourself. */
  database: MmdbReader;
  /** The provider's name in the steps of a `LocationError`. Default: `'mmdb'`. */
  name?: string | undefined;
}

/** The options of `mmdb`: a file, or an open database. */
export type MmdbOptions = MmdbFileOptions | MmdbDatabaseOptions;

const isReader = (value: unknown): boolean => {
  const { get, metadata } = asRecord(value);
  const { ipVersion } = asRecord(metadata);
  return typeof get === 'function' && (ipVersion === 4 || ipVersion === 6);
};

/** All options of `mmdb` with their defaults. */
const optionTable = {
  file: optional<string>(isWord),
  database: optional<MmdbReader>(must('an open reader, { get(ip), metadata: { ipVersion: 4 or 6 } }; maxmind.open() must be awaited', isReader)),
  Reader: optional<MmdbReaderClass>(must('the class Reader of mmdb-lib or maxmind', (value) => typeof value === 'function')),
  checkEveryMs: option(within('milliseconds', 0), 10_000),
  maxBytes: option(wholeNumber(1, Number.MAX_SAFE_INTEGER, 'bytes'), 512 * 1024 * 1024),
  name: option(isWord, 'mmdb'),
  logger: option<Logger>(isObject, { warn: (message) => console.warn(`location-sdk: ${message}`) }),
  clock: option<Pick<Clock, 'now'>>(having('now'), systemClock),
};
const OF_A_DATABASE = ['database', 'name'];

/** Completes the options. Throws a `ConfigurationError` that lists every problem and shows no value. */
export function readMmdbOptions(options: unknown) {
  const read = readOptions('mmdb', optionTable, options, (own) => {
    const names = Object.keys(own).filter((name) => own[name] !== undefined);
    if (names.includes('file') === names.includes('database')) return [issue(['file'], 'invalid', 'pass either file or database')];
    if (names.includes('file')) return [];
    const ofFile = names.filter((name) => name in optionTable && !OF_A_DATABASE.includes(name));
    return ofFile.map((name) => issue([name], 'invalid', 'needs the option file'));
  });
  if (read.problem !== undefined) throw new ConfigurationError(read.problem);
  return read.complete;
}
