/** The offline lookup: `location-sdk/location/mmdb`. @module */
export type { MmdbReader } from '../location/mmdb/mmdb-lookup.js';
export { type MmdbProvider, mmdb } from '../node/mmdb/mmdb.js';
export type { MmdbDatabaseOptions, MmdbFileOptions, MmdbOptions } from '../node/mmdb/options.js';
export type { MmdbReaderClass } from '../node/mmdb/reader.js';
