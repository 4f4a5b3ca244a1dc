import { ConfigurationError } from '../../errors/errors.js';
import { type IpProvider, LookupFailure } from '../../location/lookup/provider.js';
import { lookUpInMmdb, type MmdbReader } from '../../location/mmdb/mmdb-lookup.js';
import { safeLogger } from '../../platform/safe-callback.js';
import { followMmdbFile, type MmdbFile } from './file.js';
import { type MmdbOptions, readMmdbOptions } from './options.js';

/** A provider that asks nobody. */
export interface MmdbProvider extends IpProvider {
  /**
   * Opens the file now rather than at the first lookup, so that a server can refuse to start without it. Rejects with a
   * `ConfigurationError` that says why the file cannot be used; may be called again.
   */
  ready(): Promise<void>;
}

/**
 * Looks addresses up in a database file in MaxMind's format (GeoLite2 City, GeoIP2 City, DB-IP, IPinfo): no third party learns
 * a player's address. For servers that pass `clientIP`. The file is read by `mmdb-lib` or `maxmind`, whichever is installed.
 *
 * The file is opened by the first lookup, or by `ready()`, and held in memory whole. When it was replaced, by another file or in
 * place, lookups use the new version once it is read; one that cannot be used is refused with a warning, and the old one stays.
 * Coordinates and places come as the record has them; `accuracy` is its radius, in metres. An address that is unknown, an IPv6 address in
 * a database of IPv4, and a record without coordinates make the next provider be asked, as does a file that cannot be used.
 *
 * @throws `ConfigurationError` for options that cannot be used, and from `ready()` for a file that cannot.
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
      if (ip === undefined) throw new LookupFailure('no-address', 'a database cannot tell the own address: pass clientIP');
      const current = source.current();
      const opened = current instanceof Promise ? await current : current;
      if ('problem' in opened) throw new LookupFailure('not-available', `the database cannot be used: ${opened.problem}`);
      return lookUpInMmdb(opened.reader, ip);
    },
    async ready() {
      const opened = await source.open();
      // The path is shown to who starts the server, and not in a lookup's error: a relay passes that on to the page.
      if ('problem' in opened) throw new ConfigurationError(`The database ${file} cannot be used: ${opened.problem}.`);
    },
  };
}

function alwaysOpen(database: MmdbReader): MmdbFile {
  const opened = { reader: database, version: '' };
  return { current: () => opened, open: async () => opened };
}
