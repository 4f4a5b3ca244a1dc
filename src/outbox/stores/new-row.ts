import type { Row } from '../state-machine.js';
import type { NewRow } from '../store.js';

/**
 * What a store makes of a row that it is given: waiting, due now, not in doubt. Each member is named: with a spread of
 * what was given, making the object took longer than its insert into SQLite.
 */
export const newRow = (
  { id, account, environment, operation, reference, waitsFor, body, fingerprint }: NewRow,
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
