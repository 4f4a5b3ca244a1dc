/** The offline lookup: `location-sdk/location/mmdb`. @module */
export { type MmdbOptions, type MmdbReader, mmdb } from '../core/location/mmdb/mmdb.js';
