import { ConfigurationError } from '../errors/errors.js';

/** What stands for methods that a page does not need. */
export const absent = (): never => {
  throw new ConfigurationError('Not in the script-tag file; import location-sdk/outbox.');
};

export const rejected = async (): Promise<never> => absent();
