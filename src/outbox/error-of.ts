import { ReportingError } from '../errors/errors.js';
import { isErrorCode, makeError } from '../errors/make-error.js';
import { subjectOf } from '../platform/messages.js';
import type { Row } from './state-machine.js';

/** Why a row will not be recorded unless a person does something. */
export function errorOf({ state, problem, operation, reference, environment, attempts, inDoubt }: Row): ReportingError {
  const { code = 'bad-request', message = subjectOf({ operation, reference }), status, conflict, requestId, details: answered } = problem ?? {};
  const advice =
    state === 'dismissed' ? 'A person decided that it is not to be sent.' : 'It is quarantined: look into it, then call retry or resolve of the outbox.';
  const text = `${message} ${advice}`;
  const details = {
    operation,
    reference,
    environment: environment === 'relay' ? undefined : environment,
    status,
    attempts,
    // The relay may have found another location than before: what conflicts may be this very report.
    outcome:
      inDoubt && (conflict !== true || environment === 'relay') ? ('unknown' as const) : code === 'damaged' ? ('not-sent' as const) : ('rejected' as const),
    ...(code === 'duplicate' && { conflict: conflict === true }),
    ...(requestId !== undefined && { requestId }),
    ...(answered !== undefined && { details: answered }),
  };
  // A damaged row is a problem of the store, which no call has.
  return isErrorCode(code) ? makeError(code, text, details) : new ReportingError(text, { ...details, ...{ code } });
}
