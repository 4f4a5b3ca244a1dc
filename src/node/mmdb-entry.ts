/** The offline lookup: `location-sdk/location/mmdb`. @module */
export type { MmdbReader } from '../location/mmdb-lookup.js';
export { type MmdbProvider, mmdb } from './mmdb.js';
export type { MmdbDatabaseOptions, MmdbFileOptions, MmdbOptions } from './mmdb-options.js';
export type { MmdbReaderClass } from './mmdb-reader.js';
