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
import { playerMessageIn } from '../errors/player-message.js';
import { fixedLocation } from '../location/fixed-location.js';
import { locationPermission } from '../location/page/permission.js';
import { version } from '../platform/version.js';
import type { CreateClient } from './client.js';
import { configureBy, locate, reportBetEvent, reportSettledBet, reportSettledWithdrawal, reportWithdrawalEvent, resend, verifyNin } from './default-client.js';

/** What every script-tag file offers a page, as members of the one global `LocationSDK`. */
export const pageGlobal = (createClient: CreateClient) => ({
  configure: configureBy(createClient),
  createClient,
  fixedLocation,
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
  locationPermission,
  // English alone: other words come by `messages`, and cost no other page anything.
  playerMessage: playerMessageIn({}),
  ReportingError,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
  version,
});

export type PageGlobal = ReturnType<typeof pageGlobal>;

/** A call that a page made before its script had come: the stub of the guide keeps them. */
type Queued = [
  name: 'configure' | 'locate' | 'reportBetEvent' | 'reportWithdrawalEvent',
  given: never[],
  resolve: (value: never) => void,
  reject: (error: unknown) => void,
];

/** Puts `LocationSDK` on the global object, and makes the calls that waited for it. */
export function install(sdk: PageGlobal): void {
  const { LocationSDK: there } = globalThis as { LocationSDK?: { createClient?: unknown; queue?: Queued[] } };
  // Loaded a second time: the first stays, and who holds it. An element of that name or one within it is neither.
  if (typeof there?.createClient === 'function') return;
  const queue = Array.isArray(there?.queue) && there.queue;
  Object.assign(globalThis, { LocationSDK: queue ? { ...sdk, queue } : sdk });
  if (!queue) return;
  // An invalid queue entry fails by itself; later entries still run.
  const call = async ([name, given, resolve, reject]: Queued) => {
    try {
      resolve(await (sdk[name] as (...given: never[]) => never)(...given));
    } catch (error) {
      reject(error);
    }
  };
  queue.splice(0).forEach(call);
  // For code that still holds a function of the stub.
  queue.push = (...calls) => calls.map(call).length;
}
