import type { Row } from '../rules/state-machine.js';
import type { NewRow } from '../store/store.js';

/**
 * Makes the stored row of a new row: waiting, due now, not in doubt. It names each member, because a spread took longer
 * than the insert into SQLite.
 */
export const newRow = (
  { id, account, environment, operation, reference, waitsFor, body, fingerprint, excerpt }: NewRow,
  sequence: number,
  now: number,
  blocked: boolean,
): Row => ({
  id,
  sequence,
  account,
  environment,
  operation,
  reference,
  waitsFor,
  blocked,
  body,
  fingerprint,
  excerpt,
  state: 'waiting',
  fence: 0,
  attempts: 0,
  inDoubt: false,
  doubtBefore: false,
  enqueuedAt: now,
  dueAt: now,
  changedAt: now,
  outcome: undefined,
  message: undefined,
  requestId: undefined,
  problem: undefined,
  decisions: [],
});
