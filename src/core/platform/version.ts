import { version as packageVersion } from '../../../package.json';

/** The version of this package, for example `'0.1.0'`. */
export const version: string = packageVersion;
