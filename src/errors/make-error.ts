import {
  AbortedError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  DuplicateReportError,
  type ErrorCode,
  type ErrorDetails,
  GatewayError,
  LocationError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  type ReportingError,
  TimeoutError,
  UnprocessableError,
  ValidationError,
} from './errors.js';

const CLASSES: { readonly [Code in ErrorCode]: new (message: string, details?: ErrorDetails) => ReportingError } = {
  configuration: ConfigurationError,
  validation: ValidationError,
  location: LocationError,
  network: NetworkError,
  timeout: TimeoutError,
  aborted: AbortedError,
  'bad-request': BadRequestError,
  authentication: AuthenticationError,
  'not-found': NotFoundError,
  duplicate: DuplicateReportError,
  unprocessable: UnprocessableError,
  'rate-limited': RateLimitError,
  gateway: GatewayError,
};

/** Whether a value is the code of an error. */
export const isErrorCode = (value: unknown): value is ErrorCode => typeof value === 'string' && Object.keys(CLASSES).includes(value);

/** Makes the error of a code. */
export const makeError = (code: ErrorCode, message: string, details: ErrorDetails): ReportingError => new CLASSES[code](message, details);
