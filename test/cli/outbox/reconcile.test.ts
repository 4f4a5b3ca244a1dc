import { expect, test } from 'vitest';
import { withSettlement } from '../../../src/cli/outbox/reconcile.js';

test('only an operation that begins something has a settlement', () => {
  expect(withSettlement('reportBetEvent')).toEqual(['reportBetEvent', 'reportSettledBet']);
  expect(withSettlement('reportWithdrawalEvent')).toEqual(['reportWithdrawalEvent', 'reportSettledWithdrawal']);
  expect(withSettlement('reportSettledBet')).toEqual(['reportSettledBet']);
});
