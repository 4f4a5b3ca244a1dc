import { isErrorCode, makeError, type ReportingError } from '../../core/errors/errors.js';
import { subjectOf } from '../../core/platform/messages.js';
import type { Row } from './state-machine.js';

/** The error of a row that needs a person, or that a person has dismissed. `advice`: what a person may do. */
export function errorOf(row: Row, advice = ''): ReportingError {
  const { state, problem, operation, reference, environment, attempts, inDoubt } = row;
  const {
    code = 'bad-request',
    message = subjectOf({ operation, reference }),
    status,
    requestId,
    details: answered,
  } = problem ?? {};
  // The bytes of a damaged row cannot be sent again. Its message says what to do.
  const text = code === 'damaged' && state === 'quarantined' ? message : `${message} ${advice}`.trim();
  const details = {
    operation,
    reference,
    environment: environment === 'relay' ? undefined : environment,
    status,
    attempts,
    // The relay may have found another location than before, so the conflicting data may be this report.
    outcome:
      inDoubt && (code !== 'conflict' || environment === 'relay')
        ? ('unknown' as const)
        : code === 'damaged'
          ? ('not-sent' as const)
          : ('rejected' as const),
    ...(requestId !== undefined && { requestId }),
    ...(answered !== undefined && { details: answered }),
  };
  // Only a store can be damaged, so the code is not one of a call.
  if (code === 'conflict') return makeError('duplicate', text, { ...details, conflict: true });
  if (isErrorCode(code)) return makeError(code, text, { ...details, ...(code === 'duplicate' && { conflict: false }) });
  return Object.assign(makeError('bad-request', text, details), { name: 'ReportingError', code });
}
