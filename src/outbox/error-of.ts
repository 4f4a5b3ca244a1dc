import { ReportingError } from '../errors/errors.js';
import { isErrorCode, makeError } from '../errors/make-error.js';
import { subjectOf } from '../platform/messages.js';
import type { Row } from './state-machine.js';

/** The error of a row that needs a person, or that a person has dismissed. */
export function errorOf({ state, problem, operation, reference, environment, attempts, inDoubt }: Row): ReportingError {
  const { code = 'bad-request', message = subjectOf({ operation, reference }), status, conflict, requestId, details: answered } = problem ?? {};
  const advice =
    state === 'dismissed' ? 'A person dismissed it, so it is not sent.' : 'It is quarantined: look into it, then call retry or resolve of the outbox.';
  const text = `${message} ${advice}`;
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
