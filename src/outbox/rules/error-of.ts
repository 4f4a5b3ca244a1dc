import { isErrorCode, makeError, type ReportingError } from '../../errors/errors.js';
import { subjectOf } from '../../platform/messages.js';
import { decisionsFor, type Row } from './state-machine.js';

/** The advice for wrong data while the gateway may hold a report under the reference. */
export const CORRECTED_DATA =
  'It is not certain that the gateway holds nothing under this reference, so the stored data cannot be changed: if it is wrong, ask the authority whether the corrected data may be reported under a new reference.';

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

/** The error of a row that needs a person, or that a person has dismissed. */
export function errorOf(row: Row): ReportingError {
  const { state, problem, operation, reference, environment, attempts, inDoubt } = row;
  const {
    code = 'bad-request',
    message = subjectOf({ operation, reference }),
    status,
    conflict,
    requestId,
    details: answered,
  } = problem ?? {};
  // The bytes of a damaged row cannot be sent again. Its message says what to do.
  const text = code === 'damaged' && state === 'quarantined' ? message : `${message} ${adviceFor(row)}`;
  const details = {
    operation,
    reference,
    environment: environment === 'relay' ? undefined : environment,
    status,
    attempts,
    // The relay may have found another location than before, so the conflicting data may be this report.
    outcome:
      inDoubt && (conflict !== true || environment === 'relay')
        ? ('unknown' as const)
        : code === 'damaged'
          ? ('not-sent' as const)
          : ('rejected' as const),
    ...(code === 'duplicate' && { conflict: conflict === true }),
    ...(requestId !== undefined && { requestId }),
    ...(answered !== undefined && { details: answered }),
  };
  // Only a store can be damaged, so the code is not one of a call.
  if (isErrorCode(code)) return makeError(code, text, details);
  return Object.assign(makeError('bad-request', text, details), { name: 'ReportingError', code });
}
