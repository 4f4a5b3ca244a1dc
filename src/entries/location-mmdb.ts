/** The offline lookup: `location-sdk/location/mmdb`. @module */
export { type MmdbOptions, type MmdbReader, mmdb } from '../location/mmdb/mmdb.js';
