import { accountCases } from './accounts.js';
import { claimCases } from './claims.js';
import { consoleCases } from './console.js';
import { damageCases } from './damage.js';
import { decisionCases } from './decisions.js';
import type { ContractCase } from './harness.js';
import { orderCases } from './order.js';
import { pauseCases } from './pauses.js';
import { pruneCases } from './prune.js';
import { rateCases } from './rates.js';
import { receiptCases } from './receipts.js';
import { reopeningCases } from './reopening.js';
import { rowCases } from './rows.js';
import { survivalCases } from './survival.js';

/**
 * The cases that every store must pass, including your own. They need no test runner: a failed case rejects with an
 * `Error` that names the expected value. Test power losses and the cost with a million rows yourself.
 *
 * @example
 * ```ts
 * for (const { name, run } of storeContract) {
 *   test(name, () => run(() => ({ store: myStore(), advance: (ms) => clock.advance(ms) })));
 * }
 * ```
 */
export const storeContract: readonly ContractCase[] = [
  ...rowCases,
  ...accountCases,
  ...claimCases,
  ...orderCases,
  ...pauseCases,
  ...rateCases,
  ...receiptCases,
  ...pruneCases,
  ...consoleCases,
  ...decisionCases,
  ...reopeningCases,
  ...survivalCases,
  ...damageCases,
];
