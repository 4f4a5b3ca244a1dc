import { decisionsFor } from './decisions.js';
import type { Row } from './state-machine.js';

/** The advice for wrong data while the gateway may hold a report under the reference. */
export const CORRECTED_DATA =
  'It is not certain that the gateway holds nothing under this reference, so the stored data cannot be changed: if it is wrong, ask the authority whether the corrected data may be reported under a new reference.';

export const LOST_IN_DATABASE =
  'the database was lost, restored from a backup or replaced by a standby, or the transaction with the report was rolled back. The gateway may hold it: compare your records with the gateway, and report the same data again if it is missing there.';

/** The advice for a report whose stored data the gateway refuses, or whose caller has other data. */
export function adviceFor(row: Row): string {
  const { replaced, reopened } = decisionsFor(row);
  const corrected =
    replaced === undefined
      ? 'If the data is wrong, replace of the outbox sends the corrected data under this reference.'
      : CORRECTED_DATA;
  if (row.state === 'dismissed')
    return `A person dismissed it, so it is not sent${reopened === undefined ? ': reopen takes that back' : ''}. ${corrected}`;
  if (row.state === 'waiting' && replaced === undefined) return corrected;
  if (row.state !== 'quarantined') return '';
  return `It is quarantined: retry of the outbox sends the same data again, resolve ends it. ${corrected}`;
}
