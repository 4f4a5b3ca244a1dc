/** The face of the script-tag build: what a page may use, as members of the one global `LocationSDK`. */
import { createClient } from '../client/client.js';
import {
  configure,
  locate,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
} from '../client/default-client.js';
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
} from '../errors/errors.js';
import { fixedLocation } from '../location/locate.js';
import { freeipapi } from '../location/providers/freeipapi.js';
import { geojs } from '../location/providers/geojs.js';
import { ipapiCo } from '../location/providers/ipapi-co.js';

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

/** A call that a page made before this file had come: the stub of the guide keeps them. */
type Queued = [
  name: 'configure' | 'locate' | 'reportBetEvent' | 'reportWithdrawalEvent',
  given: never[],
  resolve: (value: never) => void,
  reject: (error: unknown) => void,
];

const { LocationSDK: there } = globalThis as { LocationSDK?: { createClient?: unknown; queue?: Queued[] } };
// Loaded a second time: the first stays, and whoever holds it. An element of that name or one within it is neither.
if (typeof there?.createClient !== 'function') {
  const queue = Array.isArray(there?.queue) && there.queue;
  Object.assign(globalThis, { LocationSDK: queue ? { ...LocationSDK, queue } : LocationSDK });
  // What is no call fails by itself, and those behind it are made.
  const call = async ([name, given, resolve, reject]: Queued) => {
    try {
      resolve(await (LocationSDK[name] as (...given: never[]) => never)(...given));
    } catch (error) {
      reject(error);
    }
  };
  if (queue) {
    queue.splice(0).forEach(call);
    // For whoever still holds a function of the stub.
    queue.push = (...calls) => calls.map(call).length;
  }
}
