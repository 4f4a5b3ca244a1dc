import { ReportingError } from '../errors/errors.js';
import { isErrorCode, makeError } from '../errors/make-error.js';
import { subjectOf } from '../platform/messages.js';
import type { Row } from './state-machine.js';

/** The advice for data that is wrong: the outbox keeps one report for each reference, and sends only the bytes that were enqueued. */
export const CORRECTED_DATA =
  'The stored data cannot be changed: if it is wrong, ask the authority whether the corrected data may be reported under a new reference.';

/** The advice for a report whose stored data the gateway refuses, or whose caller has other data. */
export const adviceFor = (state: Row['state']): string => {
  if (state === 'dismissed') return `A person dismissed it, so it is not sent. ${CORRECTED_DATA}`;
  if (state !== 'quarantined') return '';
  return `It is quarantined: retry of the outbox sends the same data again, resolve ends it. ${CORRECTED_DATA}`;
};

/** The error of a row that needs a person, or that a person has dismissed. */
export function errorOf({ state, problem, operation, reference, environment, attempts, inDoubt }: Row): ReportingError {
  const { code = 'bad-request', message = subjectOf({ operation, reference }), status, conflict, requestId, details: answered } = problem ?? {};
  // The bytes of a damaged row cannot be sent again. Its message says what to do.
  const text = code === 'damaged' && state === 'quarantined' ? message : `${message} ${adviceFor(state)}`;
  const details = {
    operation,
    reference,
    environment: environment === 'relay' ? undefined : environment,
    status,
    attempts,
    // The relay may have found another location than before, so the conflicting data may be this report.
    outcome:
      inDoubt && (conflict !== true || environment === 'relay') ? ('unknown' as const) : code === 'damaged' ? ('not-sent' as const) : ('rejected' as const),
    ...(code === 'duplicate' && { conflict: conflict === true }),
    ...(requestId !== undefined && { requestId }),
    ...(answered !== undefined && { details: answered }),
  };
  // Only a store can be damaged, so the code is not one of a call.
  return isErrorCode(code) ? makeError(code, text, details) : new ReportingError(text, { ...details, ...{ code } });
}
