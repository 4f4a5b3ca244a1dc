import {
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  DuplicateReportError,
  type ErrorDetails,
  GatewayError,
  NotFoundError,
  ReportingError,
  UnprocessableError,
} from '../errors/errors.js';
import { subjectOf } from '../platform/messages.js';
import type { ProblemCode, Row } from './state-machine.js';

const CLASSES: { readonly [Code in ProblemCode]?: new (message: string, details: ErrorDetails) => ReportingError } = {
  authentication: AuthenticationError,
  'bad-request': BadRequestError,
  configuration: ConfigurationError,
  duplicate: DuplicateReportError,
  gateway: GatewayError,
  'not-found': NotFoundError,
  unprocessable: UnprocessableError,
};

/** Why a row will not be recorded unless a person does something. */
export function errorOf({ state, problem, operation, reference, environment, attempts, inDoubt }: Row): ReportingError {
  const { code = 'bad-request', message = subjectOf({ operation, reference }), status, conflict } = problem ?? {};
  const ErrorClass = CLASSES[code] ?? ReportingError;
  const advice =
    state === 'dismissed' ? 'A person decided that it is not to be sent.' : 'It is quarantined: look into it, then call retry or resolve of the outbox.';
  return new ErrorClass(`${message} ${advice}`, {
    operation,
    reference,
    environment: environment === 'relay' ? undefined : environment,
    status,
    attempts,
    // The relay may have found another location than before: what conflicts may be this very report.
    outcome: inDoubt && (conflict !== true || environment === 'relay') ? 'unknown' : code === 'damaged' ? 'not-sent' : 'rejected',
    ...(CLASSES[code] === undefined && { code }),
    ...(code === 'duplicate' && { conflict: conflict === true }),
  });
}
