// A person with second thoughts about bets that the gateway refuses: dismisses, reopens, retries and replaces them, and
// retries their settlements, in a process that is killed meanwhile.
import { bet, isDoubtful } from './reports.js';

const reason = 'second thoughts';

/**
 * Decides about one report at random. Returns whether it could.
 * @param {Pick<import('location-sdk/outbox').Outbox, 'list' | 'replace' | 'reopen' | 'resolve' | 'retry'>} outbox Of one
 * licence.
 * @param {string} account
 */
export async function haveSecondThoughts(outbox, account) {
  const states = /** @type {const} */ (['quarantined', 'dismissed']);
  const lists = await Promise.all(states.map((state) => outbox.list({ state, limit: 500 })));
  const reports = lists.flat().filter(isDoubtful);
  const report = reports[Math.floor(Math.random() * reports.length)];
  if (!report) return false;
  const { id, operation, reference, state, decisions } = report;
  const dice = Math.random();
  try {
    if (operation === 'reportSettledBet') await outbox.retry(id);
    else if (dice < 0.4) {
      const version = 1 + decisions.filter(({ action }) => action === 'replaced').length;
      await outbox.replace(id, bet(account, reference, version), { reason });
    } else if (state === 'dismissed') await outbox.reopen(id, { reason });
    else if (dice < 0.8) await outbox.resolve(id, { as: 'dismissed', reason });
    else await outbox.retry(id);
    return true;
  } catch (error) {
    // Another process was faster, the report is in doubt, or its settlement is in flight.
    if (/** @type {{ code?: string }} */ (error).code !== 'validation') throw error;
    return false;
  }
}
