import {
  isAbortedError,
  isAuthenticationError,
  isBadRequestError,
  isConfigurationError,
  isDuplicateReportError,
  isGatewayError,
  isLocationError,
  isNetworkError,
  isNotFoundError,
  isRateLimitError,
  isReportingError,
  isTimeoutError,
  isUnprocessableError,
  isValidationError,
} from '../errors/errors.js';

/** The guards of every script-tag file, the stub included. */
export const guards = {
  isAbortedError,
  isAuthenticationError,
  isBadRequestError,
  isConfigurationError,
  isDuplicateReportError,
  isGatewayError,
  isLocationError,
  isNetworkError,
  isNotFoundError,
  isRateLimitError,
  isReportingError,
  isTimeoutError,
  isUnprocessableError,
  isValidationError,
};
