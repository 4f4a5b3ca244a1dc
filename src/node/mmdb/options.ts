import { ConfigurationError } from '../../errors/errors.js';
import type { MmdbReader } from '../../location/mmdb/mmdb-lookup.js';
import type { Logger } from '../../platform/logger.js';
import type { Clock } from '../../platform/time.js';
import { printableKey } from '../../schema/issue.js';
import { suggest } from '../../schema/suggest.js';
import type { MmdbReaderClass } from './reader.js';

/** What `mmdb` takes for a database file. */
export interface MmdbFileOptions {
  /** Its path, such as that of `GeoLite2-City.mmdb`. It is read into memory whole, and again when it was replaced. */
  file: string;
  /** The class `Reader` of `mmdb-lib` or `maxmind`. Default: that of the installed package, loaded with the file; pass it where the server is bundled. */
  Reader?: MmdbReaderClass | undefined;
  /** How often, in milliseconds, lookups look for a new version of the file; 0 for every lookup. Default: 10,000. */
  checkEveryMs?: number | undefined;
  /** The largest file that is read, in bytes. Default: 536,870,912 (512 MiB). */
  maxBytes?: number | undefined;
  /** The provider's name in the steps of a `LocationError`. Default: `'mmdb'`. */
  name?: string | undefined;
  /** Told, as a warning, of a file that cannot be used: once for each version. Default: the console. */
  logger?: Logger | undefined;
  /** Default: the system's clock. */
  clock?: Pick<Clock, 'now'> | undefined;
}

/** What `mmdb` takes for a database that is open already, whoever read it. */
export interface MmdbDatabaseOptions {
  /** What `await maxmind.open(…)` or `new Reader(…)` gave. Reloading it is yours. */
  database: MmdbReader;
  /** The provider's name in the steps of a `LocationError`. Default: `'mmdb'`. */
  name?: string | undefined;
}

/** What `mmdb` takes: a file, or an open database. */
export type MmdbOptions = MmdbFileOptions | MmdbDatabaseOptions;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isReader = (value: unknown) =>
  isObject(value) && typeof value.get === 'function' && isObject(value.metadata) && (value.metadata.ipVersion === 4 || value.metadata.ipVersion === 6);

/** What each option must be. */
const RULES: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, expected: string]>> = {
  file: [isText, 'the path of a file'],
  database: [isReader, 'an open reader, { get(ip), metadata: { ipVersion: 4 or 6 } }; maxmind.open() must be awaited'],
  Reader: [(value) => typeof value === 'function', 'the class Reader of mmdb-lib or maxmind'],
  checkEveryMs: [(value) => Number.isFinite(value) && Number(value) >= 0, 'a number of milliseconds from 0'],
  maxBytes: [(value) => Number.isSafeInteger(value) && Number(value) > 0, 'a whole number of bytes from 1'],
  name: [isText, 'a string that is not empty or blank'],
  logger: [isObject, 'an object'],
  clock: [(value) => isObject(value) && typeof value.now === 'function', 'an object with now'],
};
const OF_A_DATABASE = ['database', 'name'];

/** Throws a `ConfigurationError` that lists all that is wrong; no value is shown. */
export function checkMmdbOptions(options: unknown): asserts options is MmdbOptions {
  const given = Object.entries(isObject(options) ? options : {}).filter(([, value]) => value !== undefined);
  const names = given.map(([name]) => name);
  const problems = given.flatMap(([name, value]) => {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (!rule) return [`unknown option ${printableKey(name)}; did you mean ${suggest(name, Object.keys(RULES)) ?? Object.keys(RULES).join(', ')}?`];
    return rule[0](value) ? [] : [`${name} must be ${rule[1]}`];
  });
  if (names.includes('file') === names.includes('database')) problems.unshift('pass either file or database');
  else if (names.includes('database'))
    problems.push(...names.filter((name) => RULES[name] && !OF_A_DATABASE.includes(name)).map((name) => `${name} goes with file`));
  if (problems.length > 0) throw new ConfigurationError(`The options of mmdb cannot be used: ${problems.join('; ')}.`);
}
