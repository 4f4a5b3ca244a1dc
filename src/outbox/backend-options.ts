import { operationNames } from '../core/protocol/operations.js';
import { having, isAnything, isString, oneOf, optional, required } from '../core/schema/option-rules.js';
import { argumentCheck, isReportId, isTimeLimit, optionsCheck } from './method-options.js';
import { OUTBOX_ENVIRONMENTS } from './rules/destination.js';
import { ROW_STATES } from './rules/state-machine.js';

const isEnvironment = oneOf(...OUTBOX_ENVIRONMENTS);
const environment = optional(isEnvironment);
const anything = optional(isAnything);
const signal = optional(having('addEventListener', 'removeEventListener'));
const narrowing = {
  state: optional(oneOf(...ROW_STATES)),
  environment,
  operation: optional(oneOf(...operationNames)),
  reference: optional(isString),
};

/**
 * The options of each method that only an operator's backend has. The methods check values for which a table has no
 * rule.
 */
export const checkOptions = optionsCheck({
  drain: { timeoutMs: optional(isTimeLimit), signal },
  list: { ...narrowing, after: anything, limit: anything },
  iterate: { ...narrowing, after: anything },
  retry: { reason: anything },
  resolve: { as: anything, reason: anything },
  reopen: { reason: anything },
  replaceAll: { reason: anything },
  exportReceipts: { from: anything },
  reconcile: { operation: anything, environment: anything },
  prune: { olderThanDays: anything, keepReceipts: anything, onProgress: anything, signal },
});

const ofReport = { id: required(isReportId) };

/** The arguments of these methods. */
export const checkArgument = argumentCheck({
  retry: ofReport,
  resolve: ofReport,
  replace: ofReport,
  replaceAll: ofReport,
  reopen: ofReport,
  resume: { environment: required(isEnvironment) },
});
