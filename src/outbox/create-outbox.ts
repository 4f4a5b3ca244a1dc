import { attachConsole } from './console/root.js';
import { operatorMethods } from './operator/operator-methods.js';
import { outboxOf } from './outbox.js';
import { createPipeline } from './pipeline.js';
import { createProof } from './receipts/receipts.js';
import { createUnlocking } from './seal/locked.js';
import { makeStandardSeal } from './seal/standard-seal.js';

/**
 * Makes an outbox. It commits each report to a store first and sends it later, with as many attempts as necessary. So no report
 * is lost if the process dies, the network fails or the gateway is down. Throws a `ConfigurationError` that lists every
 * wrong option. The outbox sends nothing before `start` or `drain`.
 *
 * @example
 * ```ts
 * const outbox = createOutbox({ client, store: memoryStore() });
 * outbox.start();
 * const { id, done } = await outbox.reportBetEvent(bet, { clientIP });
 * const receipt = await done;
 * ```
 */
export const createOutbox = outboxOf({
  seal: makeStandardSeal,
  operatorMethods,
  createProof,
  attachConsole,
  makePipeline: createPipeline,
  makeUnlocking: createUnlocking,
});
