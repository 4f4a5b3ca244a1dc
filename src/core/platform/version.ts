import { version as packageVersion } from '../../../package.json';

/** The version of this package, for example `'1.0.0-rc.1'`. */
export const version: string = packageVersion;
