/** The face of the script-tag build: what a page may use, as members of the one global `LocationSDK`. */
import { createClient } from './client.js';
import { configure, locate, reportBetEvent, reportSettledBet, reportSettledWithdrawal, reportWithdrawalEvent, resend, verifyNin } from './default-client.js';
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
  ReportingError,
} from './errors.js';
import { fixedLocation } from './location/locate.js';
import { freeipapi } from './location/providers/freeipapi.js';
import { geojs } from './location/providers/geojs.js';
import { ipapiCo } from './location/providers/ipapi-co.js';

export const LocationSDK = {
  configure,
  createClient,
  fixedLocation,
  freeipapi,
  geojs,
  ipapiCo,
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
  locate,
  ReportingError,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
};

Object.assign(globalThis, { LocationSDK });
