import { version as packageVersion } from '../../package.json';

/** The version of this package, such as `'0.1.0'`. */
export const version: string = packageVersion;
