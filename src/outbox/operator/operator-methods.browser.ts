import type { ClientMode } from '../../client/payloads.js';
import { absent, rejected } from '../absent.js';
import type { OperatorMethods } from './operator-methods.js';

/** Who decides about reports does so at the operator's, not in a visitor's page. */
export const operatorMethods = <Mode extends ClientMode = 'strict'>(): OperatorMethods<Mode> => ({
  reportAll: rejected,
  within: absent,
  prepare: rejected,
  drain: rejected,
  list: rejected,
  iterate: absent,
  retry: rejected,
  resolve: rejected,
  resume: rejected,
});
