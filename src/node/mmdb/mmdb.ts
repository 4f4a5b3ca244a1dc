import { ConfigurationError } from '../../errors/errors.js';
import { type IpProvider, LookupFailure } from '../../location/lookup/provider.js';
import { lookUpInMmdb, type MmdbReader } from '../../location/mmdb/mmdb-lookup.js';
import { safeLogger } from '../../platform/safe-callback.js';
import { followMmdbFile, type MmdbFile } from './file.js';
import { type MmdbOptions, readMmdbOptions } from './options.js';

/** A provider that uses no network. */
export interface MmdbProvider extends IpProvider {
  /**
   * Opens the file now instead of at the first lookup, so that a server can refuse to start without it. Rejects with a
   * `ConfigurationError` that says why the file cannot be used. It may be called again.
   */
  ready(): Promise<void>;
}

/**
 * Looks addresses up in a database file in MaxMind's format (GeoLite2 City, GeoIP2 City, DB-IP, IPinfo), so no third
 * party receives a player's address. For servers that pass `clientIP`. `mmdb-lib` or `maxmind` reads the file,
 * whichever is installed.
 *
 * The first lookup, or `ready()`, opens the file and keeps it in memory. When the file was replaced or rewritten,
 * lookups use the new version once it is read. A version that cannot be used is refused with a warning, and the old one
 * stays in use. Coordinates and places come from the record; `accuracy` is its radius, in metres. The next provider is
 * tried for an unknown address, for an IPv6 address in an IPv4 database, for a record without coordinates, and for a
 * file that cannot be used.
 *
 * @throws `ConfigurationError` for invalid options, and from `ready()` for a file that cannot be used.
 *
 * @example
 * ```ts
 * const database = mmdb({ file: '/var/lib/GeoIP/GeoLite2-City.mmdb' });
 * await database.ready();
 * const client = createClient({ location: { ip: { providers: [database] } } });
 * ```
 */
export function mmdb(options: MmdbOptions): MmdbProvider {
  const { database, file = '', name, logger, ...given } = readMmdbOptions(options);
  const source = database ? alwaysOpen(database) : followMmdbFile({ ...given, file, warn: safeLogger(logger).warn });
  return {
    name,
    async lookup({ ip }) {
      if (ip === undefined) throw new LookupFailure('no-address', 'a database cannot find your own address: pass clientIP');
      const current = source.current();
      const opened = current instanceof Promise ? await current : current;
      if ('problem' in opened) throw new LookupFailure('not-available', `the database cannot be used: ${opened.problem}`);
      return lookUpInMmdb(opened.reader, ip);
    },
    async ready() {
      const opened = await source.open();
      // The path is shown when the server starts, and not in a lookup's error: a relay passes that on to the page.
      if ('problem' in opened) throw new ConfigurationError(`The database ${file} cannot be used: ${opened.problem}.`);
    },
  };
}

function alwaysOpen(database: MmdbReader): MmdbFile {
  const opened = { reader: database, version: '' };
  return { current: () => opened, open: async () => opened };
}
