import type { ClientMode } from '../core/client/payloads.js';
import type { ReportCall } from './intake/enqueue.js';
import type { EnqueuedReport, OutboxReports } from './interface.js';

/** The report methods over one function that enqueues: those of an outbox, and those of `within`. */
export const reportMethods = <Mode extends ClientMode>(
  enqueue: (call: ReportCall) => Promise<EnqueuedReport<Mode>>,
): OutboxReports<Mode> => ({
  reportBetEvent: (payload, options) => enqueue({ operation: 'reportBetEvent', payload, options }),
  reportSettledBet: (payload, options) => enqueue({ operation: 'reportSettledBet', payload, options }),
  reportWithdrawalEvent: (payload, options) => enqueue({ operation: 'reportWithdrawalEvent', payload, options }),
  reportSettledWithdrawal: (payload, options) => enqueue({ operation: 'reportSettledWithdrawal', payload, options }),
});
