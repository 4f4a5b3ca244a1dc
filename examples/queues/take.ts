// Messages of a queue become reports of an outbox. docs/how-to/import.md explains it.
import { isReportingError } from 'location-sdk';
import type { BatchedReport, Outbox, ReportName } from 'location-sdk/outbox';

const NAMES: readonly ReportName[] = [
  'reportBetEvent',
  'reportSettledBet',
  'reportWithdrawalEvent',
  'reportSettledWithdrawal',
];

/**
 * Enqueues messages. Resolves when they are committed, with the reason of
 * each refusal, or undefined for an enqueued message.
 */
export async function take(outbox: Outbox, messages: readonly string[]): Promise<(string | undefined)[]> {
  const read = messages.map(readMessage);
  const reports = read.filter((report) => report !== undefined);
  const results = (await outbox.reportAll(reports)).values();
  return read.map((report) => {
    const result = report && results.next().value;
    if (!result) return 'not a message with a report';
    if (result.status === 'fulfilled') return undefined;
    const { reason } = result;
    // 'location': a message without one never has one later
    const isPoison = isReportingError(reason) && ['validation', 'duplicate', 'location'].includes(reason.code);
    if (isPoison) return reason.message; // free of personal data
    throw reason;
  });
}

/** Only these two members, and a payload without options: a message does not choose options of a call. */
function readMessage(text: string): BatchedReport | undefined {
  try {
    const { operation, payload } = JSON.parse(text);
    const choosesOptions = 'environment' in payload || 'clientIP' in payload;
    return NAMES.includes(operation) && !choosesOptions ? { operation, payload } : undefined;
  } catch {
    return undefined;
  }
}
