import type { ReportingError } from '../errors/errors.js';
import type * as guards from '../errors/guards.js';
import type { playerMessageIn } from '../errors/player-message.js';
import type { fixedLocation } from '../location/fixed-location.js';
import type { locationPermission } from '../location/page/permission.js';
import type { CreateClient } from './client.js';
import type {
  configureBy,
  locate,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
} from './default-client.js';

/** The members of the one global `LocationSDK`, the same in every script-tag file. */
export interface PageGlobal {
  /** Sets up the client behind the functions. Calling it again replaces the client. */
  readonly configure: ReturnType<typeof configureBy>;
  /** Makes a client: with `relayUrl` for a page and its relay. */
  readonly createClient: CreateClient;
  /** Makes a location that every call uses, for tests and fixed terminals. */
  readonly fixedLocation: typeof fixedLocation;
  /** Finds the player's location without reporting anything. */
  readonly locate: typeof locate;
  /** Returns whether the player allows the location, without asking. */
  readonly locationPermission: typeof locationPermission;
  /** A message for a player with what to do, for an error. */
  readonly playerMessage: ReturnType<typeof playerMessageIn>;
  /** The error with which every failing call rejects. */
  readonly ReportingError: typeof ReportingError;
  /** Reports an initiated bet: step 1 of 4. */
  readonly reportBetEvent: typeof reportBetEvent;
  /** Never available in a page: rejects with an error that says so. */
  readonly reportSettledBet: typeof reportSettledBet;
  /** Never available in a page: rejects with an error that says so. */
  readonly reportSettledWithdrawal: typeof reportSettledWithdrawal;
  /** Reports an initiated withdrawal: step 3 of 4. */
  readonly reportWithdrawalEvent: typeof reportWithdrawalEvent;
  /** Sends the report that an error keeps again, with the same bytes. */
  readonly resend: typeof resend;
  /** Never available in a page: rejects with an error that says so. */
  readonly verifyNin: typeof verifyNin;
  /** The version of the package. */
  readonly version: string;
  /** Whether a value is an error of this package. */
  readonly isReportingError: typeof guards.isReportingError;
  /** Whether a value is an `AbortedError`. */
  readonly isAbortedError: typeof guards.isAbortedError;
  /** Whether a value is an `AuthenticationError`. */
  readonly isAuthenticationError: typeof guards.isAuthenticationError;
  /** Whether a value is a `BadRequestError`. */
  readonly isBadRequestError: typeof guards.isBadRequestError;
  /** Whether a value is a `ConfigurationError`. */
  readonly isConfigurationError: typeof guards.isConfigurationError;
  /** Whether a value is a `DuplicateReportError`. */
  readonly isDuplicateReportError: typeof guards.isDuplicateReportError;
  /** Whether a value is a `GatewayError`. */
  readonly isGatewayError: typeof guards.isGatewayError;
  /** Whether a value is a `LocationError`. */
  readonly isLocationError: typeof guards.isLocationError;
  /** Whether a value is a `NetworkError`. */
  readonly isNetworkError: typeof guards.isNetworkError;
  /** Whether a value is a `NotFoundError`. */
  readonly isNotFoundError: typeof guards.isNotFoundError;
  /** Whether a value is a `RateLimitError`. */
  readonly isRateLimitError: typeof guards.isRateLimitError;
  /** Whether a value is a `TimeoutError`. */
  readonly isTimeoutError: typeof guards.isTimeoutError;
  /** Whether a value is an `UnprocessableError`. */
  readonly isUnprocessableError: typeof guards.isUnprocessableError;
  /** Whether a value is a `ValidationError`. */
  readonly isValidationError: typeof guards.isValidationError;
}
