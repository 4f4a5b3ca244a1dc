import { ConfigurationError } from '../errors/errors.js';
import { operationNames, operations } from '../protocol/operations.js';

/** Whether a function reports data that only a backend has. A page may not call it, since every visitor could. */
export const isForBackendsOnly = (name: string): boolean =>
  operationNames.some((operation) => operation === name && !operations[operation].browser);

export const notInPages = (operation: string, caller: 'page' | 'relay'): ConfigurationError =>
  new ConfigurationError(
    `${operation} is never available ${caller === 'page' ? 'in a page or an app' : 'through a relay'}. Nothing was sent. Call it from your backend.`,
    { operation },
  );
