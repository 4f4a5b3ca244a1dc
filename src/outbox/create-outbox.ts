import { ConfigurationError, ENVIRONMENTS } from '../core/errors/errors.js';
import { backendMethods } from './backend-methods.js';
import { attachOperator } from './decisions/operated.js';
import { attachRepeats } from './intake/stored-repeat.js';
import { createOutboxWith } from './outbox.js';
import { createReceiptMethods } from './receipts/receipt-methods.js';
import { adviceFor, LOST_IN_DATABASE } from './rules/advice.js';
import { createExcerpts } from './seal/excerpt.js';
import { makeStandardSeal } from './seal/standard-seal.js';
import { createUnlocking } from './sending/missing-keys.js';
import { createPacing } from './sending/pacing.js';
import { createPipeline } from './sending/pipeline.js';
import { markInDoubtAfterRestore } from './sending/restored-database.js';
import { watchDestinations } from './sending/watch-destinations.js';
import type { AccountSettings } from './settings.js';

function requireGateway({
  account,
  internals: { kind, missing, environment = 'staging', gateways },
}: AccountSettings): void {
  if (kind === 'relay' || ENVIRONMENTS.some((one) => missing(one) === undefined)) return;
  const named = ENVIRONMENTS.find((one) => gateways[one] !== undefined) ?? environment;
  throw new ConfigurationError(`start: account ${account} can send nothing: ${missing(named)}`);
}

/**
 * Makes an outbox. It commits each report to a store first and sends it later, with as many attempts as necessary. So
 * no report is lost if the process dies, the network fails or the gateway is down. Throws a `ConfigurationError` that
 * lists every wrong option. The outbox sends nothing before `start` or `drain`.
 *
 * @example
 * ```ts
 * const outbox = createOutbox({ client, store: memoryStore() });
 * outbox.start();
 * const { id, done } = await outbox.reportBetEvent(bet, { clientIP });
 * const receipt = await done;
 * ```
 */
export const createOutbox = createOutboxWith({
  seal: makeStandardSeal,
  backendMethods,
  createReceiptMethods,
  createExcerpts,
  adviceFor,
  lostInDatabase: LOST_IN_DATABASE,
  requireGateway,
  attachRepeats,
  attachOperator,
  makePipeline: createPipeline,
  makePacing: createPacing,
  makeUnlocking: createUnlocking,
  afterRestore: markInDoubtAfterRestore,
  watchDestinations,
});
