import { ConfigurationError } from '../errors.js';
import type { OperatorMethods } from './operator-methods.js';

const absent = (): never => {
  throw new ConfigurationError('This is not in the script-tag file; import location-sdk/outbox.');
};

const rejected = async () => absent();

/** Who decides about reports does so at the operator's, not in a visitor's page. */
export const operatorMethods = (): OperatorMethods => ({
  reportAll: rejected,
  drain: rejected,
  list: rejected,
  iterate: absent,
  retry: rejected,
  resolve: rejected,
  resume: rejected,
});
